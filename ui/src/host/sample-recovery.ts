import type { FieldOrigin, LoopRow, RecoveryOption, RecoveryPage } from "./bindings";

const TASKS = ["Count requests per tenant", "Refuse with 429", "Say when to try again", "Test", "Document"];
const DONE = 3;

function state(row: LoopRow, status: string, iteration: number, extra: object = {}): string[] {
  const file = {
    loop_id: row.id,
    title: "Limit uploads per tenant",
    status,
    current_iteration: iteration,
    max_iterations: 10,
    created_at: "2026-01-22T02:00:00.000Z",
    updated_at: "2026-01-22T03:41:07.512Z",
    skill_state: {
      develop: {
        tasks: TASKS.map((description, index) => ({
          id: `task-00${index + 1}`,
          description,
          status: index < DONE ? "completed" : "pending",
        })),
      },
    },
    ...extra,
  };
  return JSON.stringify(file, null, 2).split("\n");
}

/** A complete state followed by the tail of an older, longer version. */
export function damagedSource(row: LoopRow): string[] {
  const tail = ['on": "Write the migration notes",', '          "status": "pending"', "        }", "      ]"];
  return [...state(row, "running", 4), ...tail, "    }", "  }", "}"];
}

/** The lines of the state after it was recovered or stripped. */
export function recoveredSource(row: LoopRow): string[] {
  return state(row, row.file_word || "paused", 4);
}

const all = (source: string, paths: readonly string[]): FieldOrigin[] =>
  paths.map((path) => ({ path, source }));

const HEAD = [
  "loop_id",
  "title",
  "status",
  "current_iteration",
  "max_iterations",
  "created_at",
  "updated_at",
];
const REBUILT: FieldOrigin[] = [
  ...all("stem", ["loop_id"]),
  ...all("develop.md", ["title", "description", "skill_state.develop.tasks", "current_iteration"]),
  ...all("hypotheses.json", ["skill_state.debug.hypotheses"]),
  ...all("proposed", ["status", "max_iterations", "created_at"]),
  ...all("missing", ["skill_state.validate.test_results"]),
];

function options(row: LoopRow): RecoveryOption[] {
  const text = (lines: readonly string[]) => `${lines.join("\n")}\n`;
  return [
    {
      way: "last_good",
      text: text(state(row, "running", 3)),
      fields: all("last_good", [...HEAD, "skill_state"]),
      lost: [],
      asked: [],
      recovered: 44,
      known: 44,
      fingerprint: "last-good",
    },
    {
      way: "prefix",
      text: text(state(row, "running", 4)),
      fields: all("prefix", [...HEAD, "skill_state"]),
      lost: [],
      asked: [],
      recovered: 44,
      known: 44,
      fingerprint: "prefix",
    },
    {
      way: "rebuilt",
      text: text(state(row, "paused", 4, { description: "Every tenant has a limit of its own." })),
      fields: REBUILT,
      lost: ["status", "max_iterations", "created_at", "skill_state.validate.test_results"],
      asked: [
        { field: "status", value: "paused" },
        { field: "max_iterations", value: "10" },
        { field: "created_at", value: "2026-01-22T02:00:00.000Z" },
        { field: "tags", value: "" },
        { field: "priority", value: "" },
        { field: "notes", value: "" },
      ],
      recovered: 38,
      known: 44,
      fingerprint: "rebuilt",
    },
  ];
}

export function sampleRecovery(row: LoopRow): RecoveryPage {
  return {
    file: row.file,
    there: `${damagedSource(row).join("\n")}\n`,
    lossy: false,
    aside: `${row.id}.json.damaged-20261120-084712`,
    options: row.word === "cannot_read" ? options(row) : [],
  };
}
