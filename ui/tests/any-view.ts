import fc from "fast-check";
import { wordsOf } from "./lists";
import { visible } from "../src/views/needs/visible";
import type {
  BaseCase,
  DebugView,
  EntryContent,
  EventSays,
  HypothesisView,
  LoopDetail,
  LoopRow,
  OutputRow,
  Need,
  Problem,
  RunRow,
  TimelineEntry,
  UnreadReason,
  VersionView,
  WayView,
  WorkView,
} from "../src/host/bindings";

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
const time = fc.record({ text, ms: or(number), shifted: fc.boolean() });
export const word = (type: string) => fc.constantFrom(...wordsOf(type)) as fc.Arbitrary<never>;
const args = fc.dictionary(text, text, { maxKeys: 3 });
const asker = fc.record({ member: text, machine: text });

const figure = or(fc.double({ noNaN: true, noDefaultInfinity: true }));
const eventSays: fc.Arbitrary<EventSays> = fc.oneof(
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

const problem: fc.Arbitrary<Problem> = fc.record({
  code: word("ProblemCode"),
  severity: word("Severity"),
  path: text,
  line: or(fc.nat(500)),
  args,
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
  mode: or(text),
  priority: or(text),
  tags: texts,
  labels: texts,
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

const fact = fc.record({
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

const extra = fc.record({ path: text, text });
export const few = <T>(arbitrary: fc.Arbitrary<T>) => fc.array(arbitrary, { maxLength: 2 });

export const hypothesis: fc.Arbitrary<HypothesisView> = fc.record({
  id: text,
  description: text,
  testable_condition: text,
  logging_point: text,
  place: or(fc.record({ file: text, line: or(number), column: or(number), name: text })),
  confirm: text,
  reject: text,
  likelihood: or(number),
  rank: or(
    fc.record({
      order: fc.nat(99),
      by: fc.oneof(
        fc.record({ kind: fc.constant("place" as const), value: fc.nat() }),
        fc.record({ kind: fc.constant("likelihood" as const), value: number }),
        fc.record({ kind: fc.constant("confidence" as const), value: word("Confidence") }),
      ),
    }),
  ),
  mechanism: or(text),
  status: text,
  verdict: word("HypothesisVerdict"),
  evidence_count: fc.nat(9),
  evidence: or(
    fc.oneof(
      text,
      fc.json(),
      fc.json().map((all) => `${all.slice(0, 9)}…`),
    ),
  ),
  verdict_reason: or(text),
  log: few(fc.record({ time: or(time), location: text, message: text, values: text })),
  log_total: fc.nat(9),
  related: fc.record({
    tasks: few(fc.nat(3)),
    failed_tests: few(fc.nat(3)),
    events: few(fc.nat(3)),
    events_total: fc.nat(9),
  }),
});
export const NO_DEBUG: DebugView = {
  active_bug: null,
  iteration: null,
  confirmed: null,
  last_analysis: null,
  hypotheses: [],
  understanding: null,
  log_foreign: 0,
};

const phase = or(word("LoopBPhase"));
const visit = fc.record({ phase: word("LoopBPhase"), time: or(time), heading: word("Heading") });
const lines = fc.array(fc.constantFrom(...wordsOf("Transition"))) as fc.Arbitrary<never[]>;
/** Phases may be missing or there twice, and workers may not be there. */
const way: fc.Arbitrary<WayView> = fc.record({
  mode: or(word("WorkMode")),
  mode_word: text,
  phases: fc.array(
    fc.record({
      phase: word("LoopBPhase"),
      result: word("PhaseResult"),
      times: fc.nat(9),
      worker: or(fc.nat(3)),
    }),
    { maxLength: 6 },
  ),
  visits: fc.array(visit, { maxLength: 20 }),
  here: phase,
  taken: lines,
  fork_passed: fc.boolean(),
  wish: or(fc.record({ from: word("LoopBPhase"), to: word("LoopBPhase"), heading: word("Heading"), lines })),
});

/** Few of them, so that units meet: they wait for, lie in and name each other, themselves, and nobody. */
const unitId = fc.oneof({ weight: 4, arbitrary: fc.constantFrom("a", "b", "c", "__proto__") }, text);
const unitIds = fc.array(unitId, { maxLength: 4 });
const workUnit = fc.record({
  at: fc.nat(2),
  standing: word("UnitStanding"),
  needs: few(fc.record({ id: unitId, known: fc.boolean(), satisfied: fc.boolean(), status: text })),
  needed_by: unitIds,
  parent: or(unitId),
  children: unitIds,
  progress: or(fc.record({ done: number, total: number, finished: fc.boolean() })),
  split: or(fc.nat(3)),
  turns: fc.array(fc.nat(9), { maxLength: 4 }),
  depth: fc.nat(99),
});
const work: fc.Arbitrary<WorkView> = fc.record({
  of: word("UnitKind"),
  units: fc.array(workUnit, { maxLength: 5 }),
  missing: few(fc.record({ id: unitId, needed_by: unitIds })),
  totals: fc.record({ done: number, active: number, idle: number }),
  problems: few(fc.record({ problem, unit: or(unitId) })),
});

export const detail: fc.Arbitrary<LoopDetail> = fc.record({
  facts: few(fact),
  metadata: fc.record({
    title: or(text),
    description: or(text),
    max_iterations: or(number),
    tags: texts,
    priority: or(text),
    notes: or(text),
    editable: texts,
  }),
  controls: fc.uniqueArray(
    fc.record({
      verb: word("Verb"),
      refusal: or(fc.record({ code: word("RefusalCode"), args, status: or(word("StatusWord")) })),
      effect: word("EffectCode"),
      args,
      confirm: fc.boolean(),
      takes_reason: fc.boolean(),
      notice: fc.constant(null),
    }),
    { selector: (one) => one.verb },
  ),
  follow_ups: fc.uniqueArray(
    fc.record({ kind: word("FollowUpKind"), because: word("FollowUpReason"), count: number, names: texts }),
    { selector: (one) => one.kind },
  ),
  progress: or(
    fc.record({
      develop: number,
      debug_completed: fc.boolean(),
      validation_passed: fc.boolean(),
      overall: number,
      has_pending_develop: fc.boolean(),
    }),
  ),
  tasks: few(
    fc.record({
      id: text,
      description: text,
      status: text,
      state: word("TaskState"),
      tool: or(text),
      mode: or(text),
      priority: or(text),
      files_changed: texts,
      files_planned: texts,
      created: or(time),
      completed: or(time),
      depends_on: texts,
      done_when: texts,
      listed: fc.boolean(),
      extra: few(extra),
    }),
  ),
  task_list: few(
    fc.record({
      id: text,
      description: text,
      tool: text,
      mode: text,
      known_mode: or(word("TaskMode")),
      prompt_template: text,
      order: or(number),
      command: or(text),
      on_error: or(text),
      known_on_error: or(word("ErrorPolicy")),
      taken: fc.boolean(),
      created: or(time),
      updated: or(time),
      file: text,
    }),
  ),
  debug: or(
    fc.record({
      active_bug: or(text),
      iteration: or(number),
      confirmed: or(text),
      last_analysis: or(time),
      hypotheses: few(hypothesis),
      understanding: or(text),
      log_foreign: fc.nat(9),
    }),
  ),
  validation: or(
    fc.record({
      pass_rate: or(share),
      coverage: or(share),
      passed: or(fc.boolean()),
      failed_tests: texts,
      last_run: or(time),
      runs: few(
        fc.record({
          iteration: or(number),
          time: or(time),
          total: number,
          passed: number,
          failed: number,
          skipped: number,
          pass_rate: or(share),
          pass_rate_change: or(number),
          duration_ms: or(number),
          coverage: or(share),
          coverage_change: or(number),
          rows: number,
        }),
      ),
      coverage_files: few(
        fc.record({
          path: text,
          statements: or(share),
          branches: or(share),
          functions: or(share),
          lines: or(share),
        }),
      ),
    }),
  ),
  objective: or(
    fc.record({
      goal: text,
      background_intent: text,
      deliverables: text,
      definition_of_done: text,
      clarifications: few(fc.record({ question: text, resolution: text })),
      in_scope: texts,
      out_of_scope: texts,
      max_iterations: or(number),
      max_parallel_agents: or(number),
      max_stall_count: or(number),
    }),
  ),
  checklist: few(
    fc.record({
      depth: fc.nat(40),
      item: text,
      kind: word("ItemKind"),
      check_type: or(word("CheckType")),
      type_word: or(text),
      value: or(text),
      pass_threshold: or(number),
      scope: or(text),
      rubric: few(
        fc.record({
          criterion: text,
          description: text,
          weight: number,
          score: or(number),
          levels: few(fc.record({ score: or(fc.nat(255)), name: text, text })),
        }),
      ),
      result: word("CheckResult"),
      evidence: few(fc.record({ kind: word("EvidenceKind"), name: text, text })),
    }),
  ),
  present_checks: or(
    fc.record({
      base_case: fc.oneof(
        fc.record({
          shape: fc.constant("single" as const),
          of: fc.record({ kind: word("CheckKind"), value: text }),
        }),
        fc.constant<BaseCase>({ shape: "checklist", of: [] }),
      ),
      lost: fc.nat(),
    }),
  ),
  checklist_total: or(
    fc.record({
      verdict: word("Verdict"),
      completed: fc.boolean(),
      counts: fc.record({
        all: fc.nat(9),
        pass: fc.nat(9),
        fail: fc.nat(9),
        unknown: fc.nat(9),
        none: fc.nat(9),
      }),
      single: fc.boolean(),
    }),
  ),
  atoms: few(
    fc.record({
      id: unitId,
      description: text,
      status: text,
      state: word("AtomState"),
      depends_on: few(fc.record({ id: text, known: fc.boolean(), satisfied: fc.boolean(), status: text })),
      or_group: or(text),
      blocked_by: few(fc.record({ kind: word("BlockerKind"), name: text })),
      on_critical_path: fc.boolean(),
      ready_to_resolve: fc.boolean(),
      parent: or(text),
      children: texts,
      summary: or(text),
      summary_cut: fc.boolean(),
      artifacts: texts,
      has_result: fc.boolean(),
      line: or(fc.nat(99)),
    }),
  ),
  or_groups: few(
    fc.record({
      name: text,
      choices: few(fc.record({ id: text, known: fc.boolean(), failed: fc.boolean() })),
      selected: or(text),
      speculative: fc.boolean(),
      satisfied: fc.boolean(),
      next: or(text),
      exhausted: fc.boolean(),
    }),
  ),
  batch: texts,
  critical_path: texts,
  decompositions: few(
    fc.record({
      parent: text,
      children: texts,
      done: fc.nat(9),
      total: fc.nat(9),
      reason: text,
      time: or(time),
    }),
  ),
  trail: few(
    fc.record({
      or_group: text,
      selected: unitId,
      reason: text,
      time: or(time),
      other: or(text),
      turn: or(fc.nat(9)),
      atom: or(unitId),
    }),
  ),
  corrections: few(
    fc.record({
      time: or(time),
      kind: word("CorrectionKind"),
      word: text,
      description: text,
      trail_cleared: fc.boolean(),
      atom: or(unitId),
    }),
  ),
  work: or(work),
  workers: few(
    fc.record({
      action: text,
      phase,
      status: text,
      outcome: word("WorkerOutcome"),
      summary: text,
      files_changed: texts,
      next_suggestion: or(text),
      next: phase,
      loop_back_to: or(text),
      back: phase,
      time: or(time),
      report: fc.record({
        tasks_completed: few(fc.record({ id: text, description: text })),
        lines_added: or(fc.nat()),
        lines_removed: or(fc.nat()),
        suggestions: texts,
        issues_found: texts,
        tests: or(fc.record({ total: fc.nat(), passed: fc.nat(), failed: fc.nat(), skipped: fc.nat() })),
        failed_tests: texts,
        coverage: or(share),
      }),
      detail: or(text),
      source: text,
    }),
  ),
  way: or(way),
  conflicts: few(
    fc.record({
      file: text,
      resolutions: few(
        fc.oneof(
          fc.record({ kind: fc.constant("manual" as const) }),
          fc.record({ kind: fc.constant("other" as const), word: text }),
        ),
      ),
      sides: few(fc.record({ action: text, phase, worker: or(fc.nat(3)), lines: texts })),
    }),
  ),
  merged_at: or(time),
  findings: few(fc.record({ text, shape: word("FindingShape") })),
  errors: few(fc.record({ action: text, message: text, time: or(time) })),
  summary: few(fact),
  history: few(
    fc.record({
      iteration: or(number),
      step: text,
      tool: text,
      exit_code: or(number),
      duration_ms: or(number),
      time: or(time),
    }),
  ),
  prompt: or(text),
  extra: few(extra),
  problems: few(problem),
  times_shifted: fc.boolean(),
  events: few(
    fc.record({
      time: or(time),
      kind: word("EventKind"),
      iteration: or(number),
      subject: or(text),
      text,
      says: eventSays,
      files: texts,
      file: text,
    }),
  ),
  events_total: fc.nat(9),
  cut_files: texts,
  repairs: few(
    fc.record({
      code: word("RepairCode"),
      ends: fc.array(word("ProblemCode"), { maxLength: 3 }),
      args,
      refusal: or(fc.record({ code: word("RefusalCode"), args, status: or(word("StatusWord")) })),
    }),
  ),
  steps: fc.uniqueArray(
    fc.record({
      step: word("StepCode"),
      on: fc.array(word("StepSubject"), { maxLength: 2 }),
      refusal: or(fc.record({ code: word("RefusalCode"), args, status: or(word("StatusWord")) })),
      after_hold: fc.boolean(),
    }),
    { selector: (offer) => offer.step },
  ),
});

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
