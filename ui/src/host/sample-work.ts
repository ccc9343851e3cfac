import type {
  ListedTask,
  LoopBPhase,
  LoopDetail,
  LoopRow,
  PhaseView,
  TaskMode,
  TaskState,
  TaskView,
  WayView,
  WorkerReport,
  WorkerView,
} from "./bindings";
import { at, MINUTE } from "./sample-empty";

/* Tasks, task lists and workers of the samples, from three to as many as one asks for. */

/** The last one is an undefined word. */
type Word = Exclude<TaskState, "other"> | "needs_review";

type Sketch = readonly [
  id: string,
  description: string,
  status: Word,
  files: readonly string[],
  more?: Partial<TaskView>,
];

/** What only plans of other tools say about their tasks. */
const OF_PLANS = {
  group: null,
  parent: null,
  details: "",
  ready: false,
  parallel: false,
  optional: false,
  line: null,
  file: null,
  settable: [],
  editable: false,
  claim: null,
} satisfies Partial<TaskView>;

function task(row: LoopRow, [id, description, status, files, more]: Sketch): TaskView {
  const isDone = status === "completed";
  return {
    id,
    description,
    status,
    state: status === "needs_review" ? "other" : status,
    tool: "claude",
    mode: "write",
    priority: "2",
    files_changed: isDone ? [...files] : [],
    files_planned: [...files],
    created: at(row.changed - 90 * MINUTE),
    completed: isDone ? at(row.changed - 30 * MINUTE) : null,
    depends_on: [],
    done_when: [],
    listed: false,
    ...OF_PLANS,
    extra: [],
    ...more,
  };
}

const V2: readonly Sketch[] = [
  [
    "task-001",
    "Store the token hash with an expiry",
    "completed",
    ["src/auth/token.ts", "src/auth/store.ts"],
    { files_changed: ["src/auth/token.ts", "src/auth/store.ts", "src/auth/clock.ts"], priority: "1" },
  ],
  [
    "task-002",
    "Refuse a refresh with a rotated token",
    "in_progress",
    ["src/auth/refresh.ts"],
    {
      priority: "1",
      depends_on: ["task-001"],
      done_when: ["A refresh with the old token answers 401", "The family of the token is revoked"],
    },
  ],
  ["task-003", "Describe the new error codes", "pending", ["docs/errors.md"], { priority: "3" }],
  [
    "task-004",
    "Keep the audit log of logins for ninety days",
    "failed",
    ["src/audit/log.ts", "migrations/0042_audit.sql"],
    { extra: [{ path: "attempts", text: "2" }] },
  ],
  ["task-005", "Lock an account after ten failed logins", "completed", ["src/auth/lock.ts"]],
  [
    "task-006",
    "Send a message when a new device signs in",
    "pending",
    ["src/notify/device.ts", "src/auth/session.ts"],
    { depends_on: ["task-002", "task-009"] },
  ],
  ["task-007", "Review who may read the audit log", "needs_review", [], { tool: "gemini", mode: "analysis" }],
];

/** Tasks of a plan that another tool keeps: below headings, with parts, and with all that only such a plan has. */
const PLAN: readonly Sketch[] = [
  ["T001", "Create the project", "completed", [], { group: "Setup", line: 4 }],
  ["T002", "Choose a linter", "dropped", [], { group: "Setup", line: 5 }],
  ["T003", "Store sessions", "in_progress", ["src/store.ts"], { group: "Sign in", line: 9 }],
  ["T003.2", "Expire them", "pending", [], { parent: "T003", line: 14, ready: true, parallel: true }],
  ["T004", "Measure the sign-in", "pending", [], { group: "Sign in", line: 11, optional: true }],
  ["T003.1", "Hash the token", "completed", [], { parent: "T003", line: 10 }],
  [
    "T005",
    "Ask for the second factor",
    "blocked",
    [],
    { group: "Sign in", line: 12, details: "The provider is not chosen.", depends_on: ["T003"] },
  ],
];

export function planTasks(row: LoopRow): TaskView[] {
  const settable = ["pending", "completed"] as const;
  const plain = { tool: null, mode: null, priority: null, created: null, completed: null, status: "" };
  return PLAN.map((sketch) => ({
    ...task(row, sketch),
    ...plain,
    files_changed: [],
    settable: [...settable],
    editable: true,
  }));
}

/** A long plan, done below all headings but the last. */
export function longPlan(row: LoopRow, count: number): TaskView[] {
  const last = Math.floor((count - 1) / 10);
  return Array.from({ length: count }, (_, index) => {
    const part = Math.floor(index / 10);
    const word = part === last ? "pending" : "completed";
    return task(row, [`T${index + 1}`, `Step ${index + 1}`, word, [], { group: `Phase ${part + 1}` }]);
  });
}

export function sampleTasks(row: LoopRow): TaskView[] {
  return V2.map((sketch) => task(row, sketch));
}

const STATUSES: readonly Word[] = [
  "completed",
  "completed",
  "pending",
  "completed",
  "in_progress",
  "failed",
  "pending",
];

export function manyTasks(row: LoopRow, count: number): TaskView[] {
  return Array.from({ length: count }, (_, index) =>
    task(row, [
      `task-${String(index + 1).padStart(3, "0")}`,
      `${V2[index % V2.length]![1]} in module ${index + 1}`,
      STATUSES[index % STATUSES.length]!,
      [`src/module-${index + 1}/index.ts`],
    ]),
  );
}

function listedTask(
  row: LoopRow,
  order: number,
  id: string,
  description: string,
  mode: TaskMode,
  more: Partial<ListedTask> = {},
): ListedTask {
  return {
    id,
    description,
    tool: "codex",
    mode,
    known_mode: mode,
    prompt_template: "",
    order,
    command: null,
    on_error: null,
    known_on_error: null,
    taken: false,
    created: at(row.changed - 95 * MINUTE),
    updated: null,
    file: `${row.id}.tasks.jsonl`,
    ...more,
  };
}

export function sampleList(row: LoopRow): ListedTask[] {
  return [
    listedTask(row, 0, "task-1737500000000-ab12cd34", "Review the token tests", "review", {
      prompt_template: "Read the tests and name gaps.",
      on_error: "continue",
      known_on_error: "continue",
    }),
    listedTask(row, 1, "task-1737500000500-77e0d1f2", "Run the whole suite twice", "analysis", {
      tool: "bash",
      command: "npm test && npm test",
    }),
    listedTask(row, 2, "task-1737500000900-0c9d8e7f", "Describe the new error codes", "write"),
  ];
}

export function manyListed(row: LoopRow, count: number): ListedTask[] {
  return Array.from({ length: count }, (_, index) =>
    listedTask(
      row,
      index,
      `task-${1_737_500_000_000 + index}-0c9d8e7f`,
      `Look at module ${index + 1}`,
      "review",
    ),
  );
}

// ---- Loop-B

/** A worker that reports nothing in fields. */
export const NO_REPORT: WorkerReport = {
  tasks_completed: [],
  lines_added: null,
  lines_removed: null,
  suggestions: [],
  issues_found: [],
  tests: null,
  failed_tests: [],
  coverage: null,
};

function worker(row: LoopRow, phase: LoopBPhase, minutes: number, more: Partial<WorkerView>): WorkerView {
  return {
    action: phase,
    phase,
    status: "success",
    outcome: "success",
    summary: "",
    files_changed: [],
    next_suggestion: null,
    next: null,
    loop_back_to: null,
    back: null,
    time: at(row.changed - minutes * MINUTE),
    report: NO_REPORT,
    detail: null,
    source: `${row.id}.workers/${phase}.output.json`,
    ...more,
  };
}

const B: readonly Sketch[] = [
  ["T1", "Theme roles instead of raw colours", "completed", ["src/theme.ts", "src/pages/index.vue"]],
  ["T2", "Switch in the header, remembered per device", "pending", ["src/header.vue"]],
  ["T3", "Print always in the light theme", "pending", ["src/print.css"]],
];

function workers(row: LoopRow): WorkerView[] {
  return [
    worker(row, "develop", 9, {
      summary: "Theme switch and 14 pages",
      files_changed: ["src/theme.ts", "src/pages/index.vue"],
      next_suggestion: "validate",
      next: "validate",
      report: {
        ...NO_REPORT,
        tasks_completed: [{ id: "T1", description: "Theme roles instead of raw colours" }],
        lines_added: 486,
        lines_removed: 341,
        suggestions: ["Follow the system theme until a choice is made"],
      },
      detail:
        "changes:\n  - src/theme.ts: roles with a light and a dark value\n  - 212 raw colours replaced in 14 pages",
    }),
    worker(row, "debug", 5, {
      status: "needs_input",
      outcome: "needs_input",
      summary: "The flash at start comes from reading the choice too late. Which browsers matter?",
      files_changed: ["src/theme.ts"],
      loop_back_to: "develop",
      back: "develop",
      report: { ...NO_REPORT, issues_found: ["The choice is read after the first paint"] },
      detail:
        'ROOT_CAUSE_ANALYSIS:\n  hypothesis: "H1: the choice is read after the first paint"\n  confidence: high\n  fix: src/theme.ts reads it in the head of the page',
      source: "parallel_results",
    }),
  ];
}

const PHASES: readonly LoopBPhase[] = ["init", "develop", "debug", "validate", "complete"];

/** A path that has not started, apart from what is given. */
export function sampleWay(
  more: Partial<WayView> = {},
  phases: Partial<Record<LoopBPhase, Partial<PhaseView>>> = {},
): WayView {
  return {
    mode: "auto",
    mode_word: "auto",
    phases: PHASES.map((phase) => ({
      phase,
      result: "not_reached",
      times: 0,
      worker: null,
      ...phases[phase],
    })),
    visits: [],
    here: null,
    taken: [],
    fork_passed: false,
    wish: null,
    ...more,
  };
}

/** There and back again. */
function wayBack(row: LoopRow): WayView {
  return sampleWay(
    {
      visits: [
        { phase: "init", time: null, heading: "on" },
        { phase: "develop", time: at(row.changed - 9 * MINUTE), heading: "on" },
        { phase: "debug", time: at(row.changed - 5 * MINUTE), heading: "on" },
        { phase: "develop", time: null, heading: "back" },
      ],
      here: "develop",
      taken: ["init-develop", "develop-debug", "debug-check", "check-develop"],
      fork_passed: true,
    },
    {
      init: { result: "missing", times: 1 },
      develop: { result: "handed_in", times: 2, worker: 0 },
      debug: { result: "handed_in", times: 1, worker: 1 },
    },
  );
}

/** Two of three at once, and their results put together. */
function wayAtOnce(): WayView {
  return sampleWay(
    {
      mode: "parallel",
      mode_word: "parallel",
      here: "develop",
      taken: ["init-develop", "develop-merge", "init-debug", "debug-merge"],
      fork_passed: true,
    },
    {
      init: { result: "missing" },
      develop: { result: "handed_in", worker: 0 },
      debug: { result: "handed_in", worker: 1 },
    },
  );
}

/** The way a Loop-B took, its workers and where they met. */
export function sampleWorkers(row: LoopRow): Partial<LoopDetail> {
  const phase = row.phase?.kind === "workers" ? row.phase.phase : "init";
  const fact = { name: "phase", value: { kind: "code" as const, value: phase } };
  const tasks = B.map((sketch) => task(row, sketch));
  if (phase === "init") {
    const begun: WayView["visits"] = [{ phase, time: null, heading: "on" }];
    const way = sampleWay(
      { mode: null, mode_word: "", here: phase, visits: begun },
      { init: { result: "missing", times: 1 } },
    );
    return { facts: [fact], tasks, way };
  }
  const done = { name: "workers_completed", value: { kind: "list" as const, value: ["init"] } };
  return {
    facts: [fact, done],
    tasks,
    workers: workers(row),
    way: row.mode === "parallel" ? wayAtOnce() : wayBack(row),
    merged_at: row.mode === "parallel" ? at(row.changed - 2 * MINUTE) : null,
    conflicts: [
      {
        file: "src/theme.ts",
        resolutions: [{ kind: "manual" }],
        sides: [
          {
            action: "develop",
            phase: "develop",
            worker: 0,
            lines: ["- src/theme.ts: roles with a light and a dark value"],
          },
          {
            action: "debug",
            phase: "debug",
            worker: 1,
            lines: ["fix: src/theme.ts reads it in the head of the page"],
          },
        ],
      },
    ],
    findings: [{ text: "The sidebar keeps its light background in print.", shape: "prose" }],
  };
}
