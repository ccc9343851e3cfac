import type { ListedTask, LoopDetail, LoopRow, Problem } from "./bindings";
import { at, emptyDetail, MINUTE } from "./sample-empty";
import { sampleValidation } from "./sample-runs";

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
    log: [],
    log_total: 0,
  }));
}

function listed(
  row: LoopRow,
  order: number,
  id: string,
  description: string,
  mode: string,
  more: Partial<ListedTask> = {},
): ListedTask {
  return {
    id,
    description,
    tool: "codex",
    mode,
    prompt_template: "",
    order,
    command: null,
    on_error: null,
    created: at(row.changed - 95 * MINUTE),
    updated: null,
    file: `${row.id}.tasks.jsonl`,
    ...more,
  };
}

const DISAGREES: Problem = {
  code: "W6_validation_disagrees",
  severity: "warning",
  path: "skill_state.validate.pass_rate",
  line: 12,
  args: { found: "95.5 %", expected: "41 of 44" },
};

export function loopV2(row: LoopRow): LoopDetail {
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
  const validation = sampleValidation(row);
  const disagrees = validation.pass_rate !== (validation.runs.at(-1)?.pass_rate ?? null);
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
      listed(row, 0, "task-1737500000000-ab12cd34", "Review the token tests", "review", {
        prompt_template: "Read the tests and name gaps.",
        on_error: "continue",
      }),
      listed(row, 1, "task-1737500000500-77e0d1f2", "Run the whole suite twice", "analysis", {
        tool: "bash",
        command: "npm test && npm test",
      }),
      listed(row, 2, "task-1737500000900-0c9d8e7f", "Describe the new error codes", "write"),
    ],
    debug: {
      active_bug: "login.spec › limits per tenant",
      iteration: 2,
      confirmed: "H2",
      last_analysis: at(row.changed - 12 * MINUTE),
      hypotheses: hypotheses(),
      understanding: null,
      log_foreign: 0,
    },
    validation,
    errors: [
      { action: "DEVELOP", message: "tool call timed out after 600 s", time: at(row.changed - 50 * MINUTE) },
    ],
    extra: [{ path: "skill_state.debug.understanding_updated", text: "true" }],
    problems: [
      ...(row.problem ? [row.problem] : []),
      ...(disagrees ? [DISAGREES] : []),
      { code: "W9_shifted_time", severity: "info", path: "created_at", line: 7, args: {} },
    ],
    times_shifted: true,
  };
}

export function loopB(row: LoopRow): LoopDetail {
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

export function v1(row: LoopRow): LoopDetail {
  return {
    ...emptyDetail(row),
    facts: facts(row).slice(0, 2),
    history: [
      { iteration: 2, step: "audit", tool: "bash", exit_code: 1, duration_ms: 64_000, time: at(row.changed) },
    ],
  };
}
