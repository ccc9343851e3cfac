import type { FollowUpOffer, LoopDetail, LoopRow, Problem } from "./bindings";
import { debugSection } from "./sample-board";
import { at, emptyDetail, MINUTE } from "./sample-empty";
import { sampleValidation } from "./sample-runs";
import { sampleList, sampleTasks, sampleWorkers } from "./sample-work";

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

function followUps(): FollowUpOffer[] {
  const files = ["src/limit/key.ts", "src/limit/store.ts", "tests/limit.test.ts"];
  return [
    { kind: "test", because: "skipped_tests", count: 1, names: [] },
    { kind: "enhance", because: "tasks_left", count: 1, names: ["Limit by tenant too"] },
    { kind: "refactor", because: "files_changed", count: 3, names: files },
    { kind: "doc", because: "files_changed", count: 3, names: files },
  ];
}

const DISAGREES: Problem = {
  code: "W6_validation_disagrees",
  severity: "warning",
  path: "skill_state.validate.pass_rate",
  line: 12,
  args: { field: "pass_rate", unit: "percent", found: "95.45454545454545", expected: "93.18181818181817" },
};

export function loopV2(row: LoopRow): LoopDetail {
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
    progress: {
      develop: 66,
      debug_completed: true,
      validation_passed: false,
      overall: 58,
      has_pending_develop: true,
    },
    follow_ups: row.file_word === "completed" ? followUps() : [],
    tasks: sampleTasks(row),
    task_list: sampleList(row),
    debug: debugSection(row),
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
