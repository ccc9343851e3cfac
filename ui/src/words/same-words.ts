/** Codes and names that are worded as another one: the catalogues have one message for all of them. */
import type { EffectCode, FailureKind } from "../host/bindings";

/** Facts that two formats call differently, by the one name that the catalogues have words for. */
export const SAME_FACT: Readonly<Record<string, string>> = {
  active_phase: "current_phase",
  completed: "completed_at",
  consecutive_no_progress: "stall_count",
  created: "created_at",
  current_cli_step: "current_step",
  current_phase_name: "phase",
  duration_ms: "duration",
  ended_at: "completed_at",
  generated: "created_at",
  iteration: "current_iteration",
  last_activity: "last_progress_at",
  last_updated: "updated_at",
  reason: "failure_reason",
  runs: "validate_runs",
  session_count: "session_mapping",
  source_prd: "prep_source",
  started: "started_at",
  tag: "tags",
  tasks_completed: "completed_tasks",
  tasks_total: "total_tasks",
  timestamp: "updated_at",
  updated: "updated_at",
};

/** Words of formats with the words of a status. */
export const SAME_WORD: Readonly<Record<string, string>> = {
  created: "not_started",
  user_exit: "left_by_user",
};

/** Failures with the advice of another one. */
export const SAME_HINT = {
  cannot_open: "file_outside",
  editor_failed: "editor_missing",
  empty_file: "changed_since",
  no_editor: "editor_missing",
  no_undo: "own_data",
  not_a_regular_file: "file_outside",
  not_committable: "unknown_run",
  nothing_to_undo: "changed_since",
  team_refused: "bad_invitation",
  terminal_failed: "no_terminal",
  unknown_comment: "unknown_run",
  unknown_job: "unknown_run",
  unknown_version: "changed_since",
} as const satisfies Partial<Record<FailureKind, FailureKind>>;

/** Controls that do the same as another one. */
export const SAME_EFFECT = {
  reopen_by_hand: "resume_by_hand",
  start_by_hand: "resume_by_hand",
} as const satisfies Partial<Record<EffectCode, EffectCode>>;

/** Fields of the start form with the name of another one. */
export const SAME_FIELD: Readonly<Record<string, string>> = { shell_command: "command" };

/** The code whose words a code has: its own, or those of another one that says the same. */
export function wordedAs<Code extends string, Same extends Partial<Record<Code, string>>>(
  code: Code,
  same: Same,
): Exclude<Code, keyof Same> | Extract<Same[keyof Same], string> {
  return (Object.hasOwn(same, code) ? same[code] : code) as never;
}
