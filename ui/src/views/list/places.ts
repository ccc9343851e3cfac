import type { Format } from "../../host/bindings";

/** Formats whose loops and plans are at the same places. */
export interface LookedFor {
  readonly formats: readonly Format[];
  /** Whose they are, where the names of the formats don't say it. */
  readonly tools: readonly string[];
  /** Below a folder; `*` is a name. */
  readonly places: readonly string[];
}

const row = (formats: readonly Format[], places: readonly string[], tools: readonly string[] = []) => ({
  formats,
  tools,
  places,
});

/** The roots of CCW, below a folder and below one of its sessions. */
const below = (file: string) =>
  ["", ".workflow/active/WFS-*/"].flatMap((top) => [`${top}.workflow/.loop/${file}`, `${top}.loop/${file}`]);

/** What is looked for in a folder, and where; the readers say the same, and a test compares both. */
export const LOOKED_FOR: readonly LookedFor[] = [
  row(
    ["ralph_loop"],
    [".claude", ".qwen", ".omo", ".sisyphus"].map((folder) => `${folder}/ralph-loop.local.md`),
  ),
  row(
    ["prd"],
    [
      "prd.json",
      "scripts/ralph/prd.json",
      "ralph/prd.json",
      ".ralph/prd.json",
      "tasks/prd.json",
      "plans/prd.json",
      ".omc/prd.json",
      ".omc/state/prd.json",
      ".omc/state/sessions/*/prd.json",
    ],
  ),
  row(["spec_kit"], ["specs/*/tasks.md", ".specify/specs/*/tasks.md"]),
  row(["spec_kit_run"], [".specify/workflows/runs/*/state.json"]),
  row(["open_spec"], ["openspec/changes/*/tasks.md", "openspec/changes/archive/*/tasks.md"]),
  row(["gsd"], [".planning/STATE.md", ".planning/workstreams/*/STATE.md"]),
  row(["gsd_debug"], [".planning/debug/*.md", ".planning/debug/resolved/*.md"]),
  row(["task_master"], [".taskmaster/tasks/tasks.json", "tasks/tasks.json"]),
  row(
    ["bmad"],
    [
      "_bmad-output/implementation-artifacts",
      "_bmad-output/planning-artifacts",
      "_bmad-output/sprint-artifacts",
      "_bmad-output",
      "bmad-output/implementation-artifacts",
      "docs/implementation-artifacts",
      "docs/sprint-artifacts",
      "docs/stories",
      "docs/bmad",
      "docs",
      ".bmad-ephemeral",
      "bmad",
      "implementation-artifacts",
    ]
      .map((folder) => `${folder}/sprint-status.yaml`)
      .concat("sprint-status.yaml"),
  ),
  row(["frankbria"], [".ralph/fix_plan.md", ".ralph/@fix_plan.md", "fix_plan.md", "@fix_plan.md"]),
  row(["orchestrator"], [".ralph/agent/tasks.jsonl", ".ralph/agent/scratchpad.md"]),
  row(["pi_ralph"], [".ralph/*.state.json"]),
  row(["boulder"], [".omo/boulder.json", ".sisyphus/boulder.json"], ["oh-my-openagent"]),
  row(
    ["goals"],
    [
      ".omo/goal/*.json",
      ".omo/ulw-loop/goals.json",
      ".omo/ulw-loop/*/goals.json",
      ".omc/ultragoal/goals.json",
      ".omc/ultragoal/plans/*/goals.json",
      ".omx/ultragoal/goals.json",
      ".omx/ultragoal/*/goals.json",
    ],
    ["oh-my-openagent", "oh-my-claudecode", "oh-my-codex"],
  ),
  row(["beads"], [".beads/issues.jsonl", ".beads/backup/issues.jsonl"]),
  row(["maestro"], [".workflow/sessions/*/session.json", ".workflow/.maestro/*/status.json"]),
  row(["schedules"], [".claude/scheduled_tasks.json"]),
  row(["aot"], [".claude/aot-loop-state.md"]),
  row(["ralph"], [".ralph/*/TODO.md"]),
  row(["loop_v2", "loop_b", "v1"], below("*.json"), ["CCW"]),
  row(["legacy"], below("LOOP-*/state.json"), ["CCW"]),
];
