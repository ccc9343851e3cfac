import type { AtomView, CheckItem, CheckKind, PresentChecks, LoopDetail, LoopRow } from "./bindings";
import { at, emptyDetail, MINUTE } from "./sample-empty";

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
    blocked_by: needs
      .filter(([, satisfied]) => !satisfied)
      .map(([need]) => ({ kind: need === "A99" ? "missing" : "waits_for", name: need })),
    on_critical_path: false,
    ready_to_resolve: false,
    or_group: null,
    parent: null,
    children: [],
    summary: null,
    summary_cut: false,
    artifacts: [],
    has_result: false,
    line: null,
    ...more,
  });
  return [
    atom("A1", "User model definition", "resolved", "resolved", [], {
      summary: "User and Session types with migrations.",
      artifacts: ["src/models/user.ts", "migrations/*.sql"],
      has_result: true,
      line: 38,
    }),
    atom("A2", "Auth logic", "pending", "container", [["A1", true]], {
      children: ["A3"],
      ready_to_resolve: true,
    }),
    atom("A3", "Password hashing with argon2", "resolved", "resolved", [["A1", true]], {
      parent: "A2",
      summary: "Parameters measured on the build machine.",
      has_result: true,
    }),
    atom("A4", "JWT generation", "pending", "failed", [["A1", true]], {
      or_group: "token_method",
      blocked_by: [{ kind: "failed_in", name: "token_method" }],
    }),
    atom("A4_alt", "Session tokens in Redis", "in_progress", "in_progress", [["A1", true]], {
      or_group: "token_method",
      on_critical_path: true,
    }),
    atom(
      "A5",
      "Login endpoint",
      "pending",
      "blocked",
      [
        ["A3", true],
        ["A4_alt", false],
        ["A99", false],
      ],
      { on_critical_path: true },
    ),
    atom("A7", "Price rules engine", "pending", "ready", [["A1", true]]),
  ];
}

/** The checklist below as the form of a redirect takes it up. */
function presentChecks(): PresentChecks {
  const check = (item: string, kind: CheckKind, value: string): CheckItem => ({
    item,
    part: { part: "check", of: { kind, value } },
  });
  const naming = {
    criterion: "Naming",
    description: "Names say what things are",
    weight: 60,
    levels: [
      [1, "Hard to read"],
      [5, "Reads like prose"],
    ] as [number, string][],
  };
  const tests = [
    check("Unit tests pass", "command", "npm test"),
    check("No debug output left", "not_command", "grep -r console.log src"),
  ];
  const stores = [
    check("Redis", "file", "src/session/redis.ts"),
    check("Memory", "not_file", "src/session/cookie.ts"),
  ];
  const quality = {
    criteria: { shape: "rubric" as const, of: [naming] },
    pass_threshold: 400,
    scope: "src/session",
  };
  const items: CheckItem[] = [
    { item: "Tests", part: { part: "group", of: tests } },
    { item: "Any session store", part: { part: "any_of", of: stores } },
    { item: "Readable", part: { part: "quality", of: quality } },
  ];
  return { base_case: { shape: "checklist", of: items }, lost: 0 };
}

export function aot(row: LoopRow): LoopDetail {
  return {
    ...emptyDetail(row),
    metadata: { ...emptyDetail(row).metadata, editable: ["max_iterations"] },
    facts: [
      { name: "iteration", value: { kind: "number", value: row.iteration?.current ?? 0 } },
      { name: "stall_count", value: { kind: "number", value: 1 } },
      { name: "prev_pending_count", value: { kind: "not_counted" } },
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
        type_word: null,
        value: null,
        pass_threshold: null,
        scope: null,
        rubric: [],
        result: "none",
        evidence: [],
      },
      {
        depth: 1,
        item: "Unit tests pass",
        kind: "check",
        check_type: "command",
        type_word: null,
        value: "npm test",
        pass_threshold: null,
        scope: null,
        rubric: [],
        result: "unknown",
        evidence: [
          { kind: "noted", name: "exit_code", text: "0" },
          { kind: "summary", name: "A3", text: "Hashing done, npm test passes." },
        ],
      },
      {
        depth: 1,
        item: "No debug output left",
        kind: "check",
        check_type: "not_command",
        type_word: null,
        value: "grep -r console.log src",
        pass_threshold: null,
        scope: null,
        rubric: [],
        result: "none",
        evidence: [],
      },
      {
        depth: 0,
        item: "Any session store",
        kind: "any_of",
        check_type: null,
        type_word: null,
        value: null,
        pass_threshold: null,
        scope: null,
        rubric: [],
        result: "none",
        evidence: [],
      },
      {
        depth: 1,
        item: "Redis",
        kind: "check",
        check_type: "file",
        type_word: null,
        value: "src/session/redis.ts",
        pass_threshold: null,
        scope: null,
        rubric: [],
        result: "unknown",
        evidence: [{ kind: "artifact", name: "A3", text: "src/session/redis.ts" }],
      },
      {
        depth: 1,
        item: "Memory",
        kind: "check",
        check_type: "not_file",
        type_word: null,
        value: "src/session/cookie.ts",
        pass_threshold: null,
        scope: null,
        rubric: [],
        result: "none",
        evidence: [],
      },
      {
        depth: 0,
        item: "Readable",
        kind: "check",
        check_type: "quality",
        type_word: null,
        value: null,
        pass_threshold: 4,
        scope: "src/session",
        rubric: [
          {
            criterion: "Naming",
            description: "Names say what things are",
            weight: 0.6,
            score: 4,
            levels: [
              { score: 1, name: "1", text: "Hard to read" },
              { score: 5, name: "5", text: "Reads like prose" },
            ],
          },
        ],
        result: "unknown",
        evidence: [{ kind: "noted", name: "judged_by", text: "reviewer" }],
      },
    ],
    checklist_total: {
      verdict: "unknown",
      completed: false,
      counts: { all: 5, pass: 0, fail: 0, unknown: 3, none: 2 },
      single: false,
    },
    present_checks: presentChecks(),
    atoms: atoms(),
    batch: ["A7"],
    critical_path: ["A4_alt", "A5"],
    or_groups: [
      {
        name: "token_method",
        choices: [
          { id: "A4", known: true, failed: true },
          { id: "A4_alt", known: true, failed: false },
        ],
        selected: "A4_alt",
        speculative: false,
        satisfied: false,
        next: "A4_alt",
        exhausted: false,
      },
    ],
    decompositions: [
      {
        parent: "A2",
        children: ["A3"],
        done: 1,
        total: 1,
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
        turn: 1,
        atom: "A4",
      },
      {
        or_group: "token_method",
        selected: "A4_alt",
        reason: "JWT failed: key rotation breaks refresh, switching to sessions",
        time: at(row.changed - 30 * MINUTE),
        other: null,
        turn: 2,
        atom: "A4_alt",
      },
    ],
    corrections: [
      {
        time: at(row.changed - 60 * MINUTE),
        kind: "constraint_change",
        word: "constraint_change",
        description: "max_iterations 15 → 20",
        trail_cleared: false,
        atom: null,
      },
    ],
    prompt:
      "# Original Prompt\n\nLet people sign in with their email address.\nSessions must survive a restart of the server.",
  };
}
