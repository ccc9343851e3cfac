import type { AtomView, LoopDetail, LoopRow, TestRow, TimeView } from "./bindings";
import { controlsOf } from "./sample-rules";

const MINUTE = 60_000;

export function at(ms: number, shifted = false): TimeView {
  return { text: new Date(ms + (shifted ? 8 * 60 * MINUTE : 0)).toISOString(), ms, shifted };
}

/** A detail that says nothing beyond its row. */
export function emptyDetail(row: LoopRow): LoopDetail {
  return {
    facts: [],
    metadata: {
      title: row.title,
      description: null,
      max_iterations: row.iteration?.limit ?? null,
      tags: row.tags,
      priority: row.priority,
      notes: null,
      editable: [],
    },
    controls: controlsOf(row),
    progress: null,
    tasks: [],
    task_list: [],
    debug: null,
    validation: null,
    objective: null,
    checklist: [],
    atoms: [],
    or_groups: [],
    decompositions: [],
    trail: [],
    corrections: [],
    workers: [],
    conflicts: [],
    merged_at: null,
    findings: [],
    errors: [],
    summary: [],
    history: [],
    prompt: null,
    extra: [],
    problems: row.problem ? [row.problem] : [],
    times_shifted: false,
  };
}

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

function hypotheses(): NonNullable<LoopDetail["debug"]>["hypotheses"] {
  const rows: [string, string, string, string, string, string, number, string | null][] = [
    [
      "H1",
      "The middleware runs after the handler",
      "handler log before limiter log",
      "limiter log first",
      "src/app.ts:use():54",
      "rejected",
      4,
      "limiter ran first in 4 of 4",
    ],
    [
      "H2",
      "The counter key drops the tenant id, so all tenants share one bucket",
      "same key for two tenants",
      "keys differ by tenant",
      "src/limit/key.ts:bucketKey():31",
      "confirmed",
      6,
      "equal keys in 6 of 6 logs",
    ],
    [
      "H3",
      "Redis TTL is set on the first hit only, a restart keeps the old window",
      "TTL is −1 after a restart",
      "TTL counts down after every hit",
      "src/limit/store.ts:touch():88",
      "pending",
      0,
      null,
    ],
    [
      "H4",
      "Test server reuses a connection and a stale header",
      "header differs between requests",
      "header equal",
      "test/login.spec.ts:limits():19",
      "inconclusive",
      1,
      "log missing for second request",
    ],
  ];
  return rows.map(([id, description, confirm, reject, point, status, count, verdict], index) => ({
    id,
    description,
    testable_condition: "Log the key for two tenants and compare.",
    logging_point: point,
    confirm,
    reject,
    likelihood: index + 1,
    status,
    evidence_count: count,
    evidence:
      count > 0
        ? JSON.stringify([{ hid: id, msg: "key=login:10.0.0.1", data: { tenant: "a" } }], null, 2)
        : null,
    verdict_reason: verdict,
  }));
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

function loopV2(row: LoopRow): LoopDetail {
  const task = (id: string, description: string, status: string, files: string[]) => ({
    id,
    description,
    status,
    tool: "claude",
    mode: "write",
    priority: "1",
    files_changed: status === "completed" ? files : [],
    files_planned: files,
    created: at(row.changed - 90 * MINUTE),
    completed: status === "completed" ? at(row.changed - 30 * MINUTE) : null,
    depends_on: [],
    done_when: [],
    extra: [],
  });
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
    tasks: [
      task("task-001", "Store the token hash with an expiry", "completed", [
        "src/auth/token.ts",
        "src/auth/store.ts",
      ]),
      task("task-002", "Refuse a refresh with a rotated token", "in_progress", ["src/auth/refresh.ts"]),
      task("task-003", "Describe the new error codes", "pending", ["docs/errors.md"]),
    ],
    task_list: [
      {
        id: "task-1737500000000-ab12cd34",
        description: "Review the token tests",
        tool: "codex",
        mode: "review",
        prompt_template: "Read the tests and name gaps.",
        order: 0,
        command: null,
        on_error: "continue",
        created: at(row.changed - 95 * MINUTE),
        updated: null,
        file: `${row.id}.tasks.jsonl`,
      },
    ],
    debug: {
      active_bug: "login.spec › limits per tenant",
      iteration: 2,
      confirmed: "H2",
      last_analysis: at(row.changed - 12 * MINUTE),
      hypotheses: hypotheses(),
    },
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

function atoms(): AtomView[] {
  const atom = (
    id: string,
    description: string,
    status: string,
    state: AtomView["state"],
    needs: [string, boolean][],
    more: Partial<AtomView> = {},
  ): AtomView => ({
    id,
    description,
    status,
    state,
    depends_on: needs.map(([need, satisfied]) => ({
      id: need,
      known: need !== "A99",
      satisfied,
      status: satisfied ? "resolved" : need === "A99" ? "" : "pending",
    })),
    or_group: null,
    parent: null,
    children: [],
    summary: null,
    artifacts: [],
    line: null,
    ...more,
  });
  return [
    atom("A1", "User model definition", "resolved", "resolved", [], {
      summary: "User and Session types with migrations.",
      artifacts: ["src/models/user.ts", "migrations/*.sql"],
      line: 38,
    }),
    atom("A2", "Auth logic", "pending", "container", [["A1", true]], { children: ["A3"] }),
    atom("A3", "Password hashing with argon2", "resolved", "resolved", [["A1", true]], {
      parent: "A2",
      summary: "Parameters measured on the build machine.",
    }),
    atom("A4", "JWT generation", "pending", "failed", [["A1", true]], { or_group: "token_method" }),
    atom("A4_alt", "Session tokens in Redis", "in_progress", "in_progress", [["A1", true]], {
      or_group: "token_method",
    }),
    atom("A5", "Login endpoint", "pending", "blocked", [
      ["A3", true],
      ["A4_alt", false],
      ["A99", false],
    ]),
    atom("A7", "Price rules engine", "pending", "ready", [["A1", true]]),
  ];
}

function aot(row: LoopRow): LoopDetail {
  return {
    ...emptyDetail(row),
    metadata: { ...emptyDetail(row).metadata, editable: ["max_iterations"] },
    facts: [
      { name: "iteration", value: { kind: "number", value: row.iteration?.current ?? 0 } },
      { name: "stall_count", value: { kind: "number", value: 1 } },
      { name: "stop_requested", value: { kind: "flag", value: false } },
    ],
    objective: {
      goal: "Sign in with an email address and keep the session across restarts",
      background_intent: "Support answers 40 tickets a week about lost sessions.",
      deliverables: "Login endpoint, session store, tests",
      definition_of_done: "All checks below pass on a clean checkout.",
      clarifications: [{ question: "Are refresh tokens needed?", resolution: "No, sessions live in Redis." }],
      in_scope: ["API", "session store"],
      out_of_scope: ["password reset"],
      max_iterations: row.iteration?.limit ?? 20,
      max_parallel_agents: 3,
      max_stall_count: 3,
    },
    checklist: [
      {
        depth: 0,
        item: "Tests",
        kind: "group",
        check_type: null,
        value: null,
        pass_threshold: null,
        scope: null,
        rubric: [],
      },
      {
        depth: 1,
        item: "Unit tests pass",
        kind: "check",
        check_type: "command",
        value: "npm test",
        pass_threshold: null,
        scope: null,
        rubric: [],
      },
      {
        depth: 1,
        item: "No debug output left",
        kind: "check",
        check_type: "not_command",
        value: "grep -r console.log src",
        pass_threshold: null,
        scope: null,
        rubric: [],
      },
      {
        depth: 0,
        item: "Any session store",
        kind: "any_of",
        check_type: null,
        value: null,
        pass_threshold: null,
        scope: null,
        rubric: [],
      },
      {
        depth: 1,
        item: "Redis",
        kind: "check",
        check_type: "file",
        value: "src/session/redis.ts",
        pass_threshold: null,
        scope: null,
        rubric: [],
      },
      {
        depth: 1,
        item: "Memory",
        kind: "check",
        check_type: "not_file",
        value: "src/session/cookie.ts",
        pass_threshold: null,
        scope: null,
        rubric: [],
      },
      {
        depth: 0,
        item: "Readable",
        kind: "check",
        check_type: "quality",
        value: null,
        pass_threshold: 4,
        scope: "src/session",
        rubric: [
          {
            criterion: "Naming",
            description: "Names say what things are",
            weight: 0.6,
            levels: ["1: Hard to read", "5: Reads like prose"],
          },
        ],
      },
    ],
    atoms: atoms(),
    or_groups: [
      {
        name: "token_method",
        choices: [
          { id: "A4", known: true, failed: true },
          { id: "A4_alt", known: true, failed: false },
        ],
        selected: "A4_alt",
        speculative: false,
      },
    ],
    decompositions: [
      {
        parent: "A2",
        children: ["A3"],
        reason: "split hashing and token",
        time: at(row.changed - 140 * MINUTE),
      },
    ],
    trail: [
      {
        or_group: "token_method",
        selected: "A4",
        reason: "JWT is stateless",
        time: at(row.changed - 120 * MINUTE),
        other: null,
      },
      {
        or_group: "token_method",
        selected: "A4_alt",
        reason: "JWT failed: key rotation breaks refresh, switching to sessions",
        time: at(row.changed - 30 * MINUTE),
        other: null,
      },
    ],
    corrections: [
      {
        time: at(row.changed - 60 * MINUTE),
        kind: "constraint_change",
        description: "max_iterations 15 → 20",
        trail_cleared: false,
      },
    ],
    prompt:
      "# Original Prompt\n\nLet people sign in with their email address.\nSessions must survive a restart of the server.",
  };
}

function loopB(row: LoopRow): LoopDetail {
  const base = loopV2(row);
  return {
    ...emptyDetail(row),
    facts: base.facts.slice(0, 2),
    metadata: base.metadata,
    tasks: base.tasks,
    workers: [
      {
        action: "develop",
        status: "success",
        summary: "Theme switch and 14 pages",
        files_changed: ["src/theme.ts", "src/pages/index.vue"],
        next_suggestion: "validate",
        loop_back_to: null,
        time: at(row.changed - 9 * MINUTE),
        detail: "Read the theme roles, replaced 212 raw colours.",
        source: `${row.id}.workers/develop.output.json`,
      },
      {
        action: "debug",
        status: "needs_input",
        summary: "Which browsers matter?",
        files_changed: ["src/theme.ts"],
        next_suggestion: null,
        loop_back_to: "develop",
        time: at(row.changed - 5 * MINUTE),
        detail: null,
        source: "parallel_results",
      },
    ],
    conflicts: [{ file: "src/theme.ts", workers: ["develop", "debug"], resolution: "manual" }],
    merged_at: at(row.changed - 2 * MINUTE),
    findings: ["The sidebar keeps its light background in print."],
  };
}

function v1(row: LoopRow): LoopDetail {
  return {
    ...emptyDetail(row),
    facts: facts(row).slice(0, 2),
    history: [
      { iteration: 2, step: "audit", tool: "bash", exit_code: 1, duration_ms: 64_000, time: at(row.changed) },
    ],
  };
}

/** What the sample loop's file says. */
export function sampleDetail(row: LoopRow): LoopDetail {
  switch (row.format) {
    case "loop_v2":
      return row.word === "not_started"
        ? { ...emptyDetail(row), metadata: loopV2(row).metadata }
        : loopV2(row);
    case "loop_b":
      return loopB(row);
    case "aot":
      return aot(row);
    case "v1":
      return v1(row);
    default:
      return emptyDetail(row);
  }
}

/** The sample loop's file as text. */
export function sampleSource(row: LoopRow): string[] {
  const state = {
    loop_id: row.id,
    title: row.title,
    status: row.file_word,
    current_iteration: row.iteration?.current,
    max_iterations: row.iteration?.limit,
    skill_state: {
      develop: {
        tasks: Array.from({ length: 40 }, (_, index) => ({
          id: `task-${index + 1}`,
          description: `Step ${index + 1}`,
          status: "pending",
        })),
      },
    },
  };
  return JSON.stringify(state, null, 2).split("\n");
}
