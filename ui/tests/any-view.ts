import fc from "fast-check";
import { visible } from "../src/views/needs/visible";
import type {
  EntryContent,
  LoopRow,
  OutputRow,
  Need,
  RunRow,
  TimelineEntry,
  UnreadReason,
  VersionView,
} from "../src/host/bindings";
import { word, text, or, figure, time, texts, asker, number, problem } from "./any-value";

const changed = fc.record({ what: word("ChangedWhat"), id: text, from: or(text), to: or(text) });
const content: fc.Arbitrary<EntryContent> = fc.oneof(
  fc.record({ from: fc.constant("event" as const), event: word("EventKind"), text }),
  fc.record({
    from: fc.constant("test_run" as const),
    passed: fc.nat(),
    total: fc.nat(),
    outcome: word("TestOutcome"),
  }),
  fc.record({ from: fc.constant("correction" as const), kind: word("CorrectionKind"), word: text, text }),
  fc.record({ from: fc.constant("step" as const), tool: text, exit_code: figure }),
  fc.record({
    from: fc.constant("version" as const),
    id: fc.nat(9),
    who: word("VersionWriter"),
    cause: or(word("WriteCause")),
    changes: fc.array(changed, { maxLength: 3 }),
    write: or(word("WriteState")),
    item: or(text),
  }),
  fc.record({
    from: fc.constant("write" as const),
    cause: or(word("WriteCause")),
    state: or(word("WriteState")),
  }),
  fc.record({
    from: fc.constant("request" as const),
    cause: or(word("WriteCause")),
    outcome: or(word("RequestOutcome")),
  }),
  fc.constant({ from: "deleted" as const }),
  fc.record({ from: fc.constant("asked_across" as const), cause: or(word("WriteCause")) }),
  fc.record({
    from: fc.constant("answered_across" as const),
    cause: or(word("WriteCause")),
    refused: or(fc.constantFrom("not_allowed", "interrupted", "toString", "x")),
  }),
);
const entry: fc.Arbitrary<TimelineEntry> = fc.record({
  id: text,
  kind: word("EntryKind"),
  time: or(time),
  ms: or(fc.integer({ min: -8.64e15, max: 8.64e15 })),
  took_ms: or(fc.integer({ min: 0, max: 8.64e15 })),
  iteration: figure,
  said_iteration: figure,
  subject: or(text),
  part: or(word("EntryPart")),
  files: texts,
  sources: texts,
  version_at: or(fc.nat(9)),
  asker: or(asker),
  content,
});
export const entries = fc.uniqueArray(entry, { maxLength: 6, selector: (one) => one.id });
export const version: fc.Arbitrary<VersionView> = fc.record({
  id: fc.nat(9),
  at: number,
  who: word("VersionWriter"),
  cause: or(word("WriteCause")),
  size: fc.nat(),
  current: fc.boolean(),
  readable: fc.boolean(),
  asker: or(asker),
});

const stop = fc.oneof(
  fc.record({ result: fc.constant("all_gone" as const), ended: fc.nat() }),
  fc.record({
    result: fc.constant("left" as const),
    ended: fc.nat(),
    processes: fc.array(fc.record({ pid: fc.nat(), name: text }), { maxLength: 3 }),
  }),
  fc.record({ result: fc.constant("unknown" as const), why: text }),
);
export const loopRun: fc.Arbitrary<LoopRow["run"]> = or(
  fc.record({
    agent: text,
    level: or(word("Level")),
    alive: fc.boolean(),
    action: or(text),
    last_output: or(number),
    cost_usd: or(number),
    tokens: or(number),
    stop: or(stop),
    needs: fc.nat(9),
    workers: fc.array(
      fc.record({
        run: text,
        action: text,
        task: or(text),
        started: number,
        last_output: or(number),
        line: text,
      }),
      { maxLength: 4 },
    ),
  }),
);

export const row: fc.Arbitrary<LoopRow> = fc.record({
  run: loopRun,
  runner: or(fc.record({ program: word("Program"), since: number })),
  key: fc.constant("w1:x"),
  workspace: text,
  id: text,
  format: word("Format"),
  handling: word("Handling"),
  file: text,
  title: text,
  word: word("StatusWord"),
  group: word("Group"),
  until_opened: fc.boolean(),
  agent: word("AgentFact"),
  file_word: text,
  reason: or(text),
  limit: or(word("LimitKind")),
  phase: fc.oneof(
    fc.constant(null),
    fc.record({ kind: fc.constant("debug" as const), judged: number, total: number, confirmed: or(text) }),
    fc.record({
      kind: fc.constant("workers" as const),
      phase: text,
      known: or(word("LoopBPhase")),
      done: number,
      total: number,
    }),
    fc.record({ kind: fc.constant("atoms" as const), resolved: number, total: number, ready: number }),
  ),
  iteration: or(fc.record({ current: number, limit: number })),
  claims: or(fc.record({ claimed: fc.nat(99), proven: fc.nat(99) })),
  mode: or(text),
  priority: or(text),
  tags: texts,
  labels: texts,
  marks: fc.record({
    pinned: fc.boolean(),
    archived: fc.boolean(),
    snoozed_until: fc.option(fc.integer({ min: 0, max: 4e12 })),
  }),
  changed: number,
  created: or(number),
  errors: fc.nat(3),
  problem: or(problem),
  primary: or(word("Verb")),
  verbs: fc.uniqueArray(word("Verb") as fc.Arbitrary<LoopRow["verbs"][number]>),
  request: or(
    fc.record({
      verb: word("WriteCause"),
      at: number,
      state: word("RequestState"),
      sent_again: fc.nat(9),
      overruled_at: or(number),
      asker: or(asker),
    }),
  ) as fc.Arbitrary<LoopRow["request"]>,
});

const unreadReason: fc.Arbitrary<UnreadReason> = fc.oneof(
  fc.record({ reason: fc.constant("too_large" as const), size: fc.nat(), limit: fc.nat() }),
  fc.record({ reason: fc.constant("too_many" as const), limit: fc.nat() }),
  fc.record({ reason: fc.constantFrom("unknown_format" as const, "cut_off" as const, "empty" as const) }),
  fc.record({ reason: fc.constant("not_well_formed" as const), line: fc.nat() }),
  fc.record({ reason: fc.constant("encoding" as const), name: text }),
  fc.record({ reason: fc.constant("unreadable" as const), message: text }),
);
export const run: fc.Arbitrary<RunRow> = fc.record({
  id: text,
  action: text,
  task: or(text),
  iteration: number,
  agent: text,
  agent_id: text,
  level: or(word("Level")),
  worktree: or(text),
  model: or(text),
  started: number,
  ended: or(number),
  outcome: or(word("RunOutcome")),
  message: or(text),
  denied: fc.nat(9),
  tokens: or(number),
  cost_usd: or(number),
  exit_code: or(fc.nat(255)),
  argv: fc.array(text, { maxLength: 3 }),
  folder: text,
  environment: fc.array(text, { maxLength: 3 }),
  session: or(text),
  resumed: or(fc.record({ how: fc.constantFrom("goes_on" as const, "began_anew" as const), session: text })),
  pid: or(fc.nat()),
  stop: or(stop),
  unconcluded: fc.boolean(),
  rows: fc.nat(),
  log: text,
  changes: or(fc.record({ files: fc.nat(), lines: fc.record({ added: fc.nat(), removed: fc.nat() }) })),
  checked: or(
    fc.record({
      unchanged: texts,
      nothing_changed: fc.boolean(),
      instrumented: texts,
      log_entries: fc.nat(),
      log_foreign: fc.nat(),
    }),
  ),
  unread: fc.array(fc.record({ source: text, why: unreadReason }), { maxLength: 3 }),
});
export const outputRow: fc.Arbitrary<OutputRow> = fc.record({
  at: number,
  kind: word("OutputKind"),
  name: text,
  text: fc.oneof(text, fc.json(), fc.constant("\u001b[31m".repeat(900))),
  cut: or(fc.nat()),
  ok: or(fc.boolean()),
  depth: fc.nat(99),
});
/** Most values are such as are known, so that every kind of card is met often. */
export const need: fc.Arbitrary<Need> = fc.record({
  id: text,
  key: text,
  run: or(text),
  title: fc.constant("A loop"),
  kind: word("NeedKind"),
  since: number,
  agent: text.map((agent) => visible(agent).text),
  tool: or(text),
  input: or(text),
  cut_from: or(fc.nat()),
  requested: or(number),
  folder: fc.constantFrom("", "~/code/x"),
  text,
  args: fc.record({
    question: fc.constantFrom("agent_asks", "task_failed", "conflicts", "__proto__", ""),
    about: text,
    count: fc.constantFrom("0", "3", "-1", "many"),
    limit: fc.constantFrom("iterations", "time", "money", "tokens", "constructor"),
    code: fc.constantFrom("crashed", "disk", "refused", "untrusted", "toString", ""),
    action: text,
  }),
  choices: fc.uniqueArray(word("MenuChoice"), { maxLength: 6 }),
  extension: or(
    fc.record({ of: word("UsedUp"), least: number, most: number, whole: fc.boolean(), proposed: number }),
  ),
  until: or(number),
  answers: fc.shuffledSubarray([
    ...["allow_once", "allow_for_run", "deny", "say", "try_again", "go_on", "choose"],
    ...["extend", "resume", "stop", "end_left", "dismiss", "something_new"],
  ]),
  processes: fc.array(fc.record({ pid: number, name: text }), { maxLength: 3 }),
  wrong: fc.array(
    fc.record({ code: word("AnswerErrorCode"), place: text, found: text, line: fc.constantFrom(null, 3) }),
    { maxLength: 2 },
  ),
  lines: fc.array(
    fc.record({
      code: word("QuestionLineCode"),
      args: fc.record({ about: text, id: text, group: text, count: text, cycle: text, reason: text }),
    }),
    { maxLength: 2 },
  ),
});
