import type { LoopDetail, LoopRow, TestRow } from "./bindings";
import { debugSection } from "./sample-board";
import { at, emptyDetail, MINUTE } from "./sample-empty";
import { sampleList, sampleTaskEvents, sampleTasks, sampleWorkers } from "./sample-work";

function facts(row: LoopRow): LoopDetail["facts"] {
  return [
    {
      name: "description",
      value: {
        kind: "text",
        value: `${row.title}: every acceptance check of the ticket passes, the old behaviour stays available behind a flag.`,
      },
    },
    { name: "loop_id", value: { kind: "code", value: row.id } },
    { name: "current_action", value: { kind: "code", value: "validate" } },
    { name: "completed_actions", value: { kind: "list", value: ["INIT", "DEVELOP", "DEBUG"] } },
    { name: "mode", value: { kind: "code", value: row.mode ?? "auto" } },
    { name: "created_at", value: { kind: "time", value: at(row.created ?? row.changed) } },
    { name: "updated_at", value: { kind: "time", value: at(row.changed) } },
    { name: "tags", value: { kind: "list", value: row.tags } },
  ];
}

const TESTS: TestRow[] = [
  {
    name: "refresh_rotates_the_old_token",
    suite: "auth::token",
    status: "failed",
    duration_ms: 412,
    error_message: "assertion failed: old token still accepted",
    stack_trace:
      'assertion `left == right` failed: old token still accepted\n  left: Ok(Claims { sub: "u-17", .. })\n right: Err(Revoked)\n  at tests/auth/token.rs:88',
  },
  {
    name: "expired_token_is_refused_with_401",
    suite: "auth::token",
    status: "failed",
    duration_ms: 96,
    error_message: "expected 401, got 500",
    stack_trace: null,
  },
  {
    name: "hardware_key_login",
    suite: "auth::token",
    status: "skipped",
    duration_ms: null,
    error_message: "needs a device",
    stack_trace: null,
  },
  ...Array.from({ length: 41 }, (_, index): TestRow => ({
    name: `login_case_${index + 1}`,
    suite: "auth::login",
    status: "passed",
    duration_ms: 30 + index * 17,
    error_message: null,
    stack_trace: null,
  })),
];

/** All test rows of a run of the sample. */
export function sampleTests(): readonly TestRow[] {
  return TESTS;
}

export function loopV2(row: LoopRow): LoopDetail {
  return {
    ...emptyDetail(row),
    facts: facts(row),
    metadata: {
      title: row.title,
      description: "Every acceptance check of the ticket passes.",
      max_iterations: row.iteration?.limit ?? 10,
      tags: row.tags,
      priority: row.priority,
      notes: null,
      editable: ["title", "description", "max_iterations", "tags", "priority", "notes"],
    },
    progress: { develop: 66, debug_completed: true, validation_passed: false, overall: 58 },
    tasks: sampleTasks(row),
    task_list: sampleList(row),
    events: sampleTaskEvents(row),
    events_total: 3,
    debug: debugSection(row),
    validation: {
      pass_rate: 93.2,
      coverage: 85,
      passed: false,
      failed_tests: ["refresh_rotates_the_old_token", "expired_token_is_refused_with_401"],
      last_run: at(row.changed - MINUTE),
      runs: [
        {
          iteration: 4,
          time: at(row.changed - 41 * MINUTE),
          total: 44,
          passed: 37,
          failed: 6,
          skipped: 1,
          pass_rate: 84.1,
          duration_ms: 8700,
          coverage: 82,
          rows: 44,
        },
        {
          iteration: 5,
          time: at(row.changed - MINUTE),
          total: 44,
          passed: 41,
          failed: 2,
          skipped: 1,
          pass_rate: 93.2,
          duration_ms: 9120,
          coverage: 85,
          rows: 44,
        },
      ],
      coverage_files: [],
    },
    errors: [
      { action: "DEVELOP", message: "tool call timed out after 600 s", time: at(row.changed - 50 * MINUTE) },
    ],
    extra: [{ path: "skill_state.debug.understanding_updated", text: "true" }],
    problems: [
      ...(row.problem ? [row.problem] : []),
      {
        code: "W6_validation_disagrees",
        severity: "warning",
        path: "skill_state.validate.pass_rate",
        line: 12,
        args: { found: "95.5 %", expected: "41 of 44" },
      },
      { code: "W9_shifted_time", severity: "info", path: "created_at", line: 7, args: {} },
    ],
    times_shifted: true,
  };
}

export function loopB(row: LoopRow): LoopDetail {
  const base = loopV2(row);
  const says = sampleWorkers(row);
  return {
    ...emptyDetail(row),
    metadata: base.metadata,
    ...says,
    facts: [...base.facts.slice(0, 2), ...(says.facts ?? [])],
  };
}

export function v1(row: LoopRow): LoopDetail {
  return {
    ...emptyDetail(row),
    facts: facts(row).slice(0, 2),
    history: [
      { iteration: 2, step: "audit", tool: "bash", exit_code: 1, duration_ms: 64_000, time: at(row.changed) },
    ],
  };
}
