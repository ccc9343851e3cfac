import fc from "fast-check";
import { word, text, or, number } from "./any-value";

export const emptyRun = {
  iteration: null,
  time: null,
  total: 3,
  passed: 1,
  failed: 1,
  skipped: 1,
  pass_rate: null,
  pass_rate_change: null,
  duration_ms: null,
  coverage: null,
  coverage_change: null,
};
export const emptyValidation = {
  pass_rate: null,
  coverage: null,
  passed: null,
  failed_tests: [],
  last_run: null,
  coverage_files: [],
};
const outcome = word("RowOutcome");
const testLine = fc.oneof(
  fc.record({
    kind: fc.constant("suite" as const),
    suite: text,
    open: fc.boolean(),
    tests: fc.nat(9),
    failed: fc.nat(9),
    skipped: fc.nat(9),
    duration_ms: or(number),
  }),
  fc.record({
    kind: fc.constant("test" as const),
    index: fc.nat(9),
    name: text,
    suite: text,
    outcome,
    own_word: or(text),
    duration_ms: or(number),
    error: or(text),
    change: or(word("TestChange")),
    failing_for: fc.nat(12),
    dots: fc.array(or(outcome), { maxLength: 12 }),
  }),
);
export const testPage = fc.record({
  lines: fc.array(testLine, { maxLength: 6 }),
  more: fc.nat(300),
  longest_ms: or(number),
  compared: fc.boolean(),
  row: or(
    fc.record({
      name: text,
      suite: text,
      status: text,
      duration_ms: or(number),
      error_message: or(text),
      stack_trace: or(text),
    }),
  ),
});
