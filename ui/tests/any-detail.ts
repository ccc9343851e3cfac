import fc from "fast-check";
import { wordsOf } from "./lists";
import type {
  BaseCase,
  DebugView,
  HypothesisView,
  LoopDetail,
  WayView,
  WorkView,
} from "../src/host/bindings";
import { text, or, number, word, few, time, problem, fact, texts, args, share, eventSays } from "./any-value";

const extra = fc.record({ path: text, text });

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
      group: or(text),
      parent: or(unitId),
      details: text,
      ready: fc.boolean(),
      parallel: fc.boolean(),
      optional: fc.boolean(),
      line: or(fc.nat(99)),
      file: or(text),
      settable: fc.uniqueArray(word("TaskState")),
      editable: fc.boolean(),
      claim: or(
        fc.record({
          id: text,
          text,
          claimed: fc.nat(99),
          proven: or(fc.nat(99)),
          broke: or(fc.nat(99)),
          accepted: fc.boolean(),
        }),
      ),
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
  claims: or(fc.record({ claimed: fc.nat(99), proven: fc.nat(99), accepted: or(text), accepted_by: text })),
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
  asks: texts,
  own_command: texts,
  own_command_runs: fc.boolean(),
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
