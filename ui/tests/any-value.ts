import fc from "fast-check";
import { wordsOf } from "./lists";
import type { EventSays, LoopDetail, Problem } from "../src/host/bindings";

/** Text as hostile as files can hold it. */
export const text = fc.oneof(
  fc.string(),
  fc.string({ unit: "grapheme" }),
  fc.constantFrom(
    "<script>alert(1)</script>",
    "{count}",
    "../../x",
    "\u202e\u0000",
    "__proto__",
    "constructor",
    "toString",
  ),
);
export const number = fc.oneof(fc.double(), fc.integer(), fc.constantFrom(Number.NaN, Infinity, -1, 1e300));
/** From 0 to 100, as the core promises. */
export const share = fc.double({ min: 0, max: 100, noNaN: true });
export const or = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: null });
export const texts = fc.array(text, { maxLength: 3 });
export const time = fc.record({ text, ms: or(number), shifted: fc.boolean() });
export const word = (type: string) => fc.constantFrom(...wordsOf(type)) as fc.Arbitrary<never>;
export const args = fc.dictionary(text, text, { maxKeys: 3 });
export const asker = fc.record({ member: text, machine: text });

export const figure = or(fc.double({ noNaN: true, noDefaultInfinity: true }));
export const eventSays: fc.Arbitrary<EventSays> = fc.oneof(
  fc.constant({ form: "text" as const }),
  fc.record({
    form: fc.constant("test_run" as const),
    passed: fc.nat(),
    total: fc.nat(),
    duration_ms: figure,
  }),
  fc.record({
    form: fc.constant("correction" as const),
    kind: word("CorrectionKind"),
    word: text,
    description: text,
  }),
);

export const problem: fc.Arbitrary<Problem> = fc.record({
  code: word("ProblemCode"),
  severity: word("Severity"),
  path: text,
  line: or(fc.nat(500)),
  args,
});

export const fact = fc.record({
  name: text,
  value: fc.oneof(
    fc.record({ kind: fc.constantFrom("text" as const, "code" as const), value: text }),
    fc.record({
      kind: fc.constantFrom("number" as const, "percent" as const, "duration" as const),
      value: number,
    }),
    fc.record({ kind: fc.constant("time" as const), value: time }),
    fc.record({ kind: fc.constant("flag" as const), value: fc.boolean() }),
    fc.record({ kind: fc.constant("list" as const), value: texts }),
  ),
}) as fc.Arbitrary<LoopDetail["facts"][number]>;

export const few = <T>(arbitrary: fc.Arbitrary<T>) => fc.array(arbitrary, { maxLength: 2 });
