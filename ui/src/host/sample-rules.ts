import type {
  Control,
  EffectCode,
  Format,
  Group,
  LoopRow,
  Refusal,
  RefusalCode,
  StatusWord,
  Verb,
} from "./bindings";

/*
 * Just enough of the formats' rules to make the in-memory host answer like the real one. The real rules live in the
 * core; nothing outside src/host/ may look in here.
 */

const GROUPS: Readonly<Record<Group, readonly StatusWord[]>> = {
  attention: [
    "cannot_read",
    "needs_you",
    "not_fully_stopped",
    "ended_still_running",
    "limit_reached",
    "interrupted",
    "agent_unknown",
    "failed",
    "unknown",
  ],
  active: [
    "stopping",
    "pausing",
    "usage_limit",
    "silent",
    "starting",
    "running",
    "finishing",
    "running_elsewhere",
  ],
  idle: ["paused", "stopped", "left_by_user", "not_started"],
  finished: ["completed", "completed_with_warnings"],
};

export function groupOfWord(word: StatusWord): Group {
  const groups = Object.keys(GROUPS) as Group[];
  return groups.find((group) => GROUPS[group].includes(word)) ?? "idle";
}

const ALL_VERBS: readonly Verb[] = [
  "start",
  "pause",
  "resume",
  "stop",
  "reopen",
  "finalise",
  "edit_metadata",
  "delete",
];

const RUNNING: readonly Verb[] = ["pause", "stop"];
const RESTING: readonly Verb[] = ["resume", "stop", "edit_metadata", "delete"];
const ENDED: readonly Verb[] = ["reopen", "edit_metadata", "delete"];

const LEGAL: Readonly<Partial<Record<StatusWord, readonly Verb[]>>> = {
  running: RUNNING,
  running_elsewhere: RUNNING,
  silent: RUNNING,
  starting: RUNNING,
  pausing: ["stop"],
  stopping: [],
  interrupted: ["pause", "resume", "stop", "edit_metadata"],
  limit_reached: ["stop", "edit_metadata", "delete"],
  paused: RESTING,
  stopped: ENDED,
  failed: ENDED,
  completed: ENDED,
  completed_with_warnings: ENDED,
  left_by_user: ENDED,
  not_started: ["start", "stop", "edit_metadata", "delete"],
};

const CONTROLLED: readonly Format[] = ["loop_v2", "loop_b", "aot"];

export function verbsOfWord(word: StatusWord, format: Format): readonly Verb[] {
  return CONTROLLED.includes(format) ? (LEGAL[word] ?? []) : [];
}

function refusalCode(row: LoopRow, verb: Verb): RefusalCode {
  if (row.word === "cannot_read") return "damaged_file";
  if (!CONTROLLED.includes(row.format)) return "read_only_format";
  if (row.word === "unknown") return "unknown_status";
  if (verb === "resume" && row.word === "limit_reached") return "limit_reached";
  if (verb === "finalise" && row.format !== "aot") return "not_in_format";
  if (verb === "delete" || verb === "edit_metadata") return "running";
  if (["completed", "completed_with_warnings", "failed", "stopped", "left_by_user"].includes(row.word))
    return "finished";
  if (verb === "reopen") return "not_finished";
  if (verb === "resume" || verb === "start")
    return row.word === "running_elsewhere" ? "foreign_owner" : "already_running";
  if (verb === "pause" && row.word === "paused") return "already_paused";
  return "not_running";
}

function effect(row: LoopRow, verb: Verb): EffectCode {
  const aot = row.format === "aot";
  const elsewhere = row.agent === "elsewhere";
  switch (verb) {
    case "pause":
      return aot ? "pause_after_iteration" : elsewhere ? "pause_before_next_action" : "pause_now";
    case "stop":
      return aot ? "stop_after_iteration" : elsewhere ? "stop_elsewhere" : "stop_now";
    case "start":
      return "start_by_hand";
    case "resume":
      return aot ? "resume_by_hand_resets_atoms" : "resume_by_hand";
    case "reopen":
      return row.word === "completed" ? "reopen_nothing_to_do" : "reopen_by_hand";
    default:
      return verb;
  }
}

function commandOf(row: LoopRow): string {
  return row.format === "aot" ? 'claude "/enter-recursion"' : `claude "/ccw-loop --loop-id ${row.id} --auto"`;
}

function argsOf(row: LoopRow): Record<string, string> {
  return {
    command: commandOf(row),
    iteration: String(Math.max(1, row.iteration?.current ?? 1)),
    limit: String(row.iteration?.limit ?? 10),
    count: "2",
  };
}

/** All controls of a row, with their sentences and reasons. */
export function controlsOf(row: LoopRow): Control[] {
  return ALL_VERBS.map((verb) => {
    const refusal: Refusal | null = row.verbs.includes(verb)
      ? null
      : { code: refusalCode(row, verb), args: {}, status: row.word };
    const code = effect(row, verb);
    const byHand = code.includes("by_hand") || code === "reopen_nothing_to_do";
    return {
      verb,
      refusal,
      effect: code,
      args: byHand ? argsOf(row) : {},
      confirm: verb === "stop" || verb === "delete" || verb === "reopen",
      takes_reason: verb === "stop" && row.format === "aot",
      notice: null,
    };
  });
}
