export const status = {
  cannot_read: "Can’t read file",
  needs_you: "Needs you",
  not_fully_stopped: "Not fully stopped",
  stopping: "Stopping…",
  pausing: "Pausing…",
  usage_limit: "Waiting for usage limit",
  silent: "Silent {minutes} min",
  starting: "Starting…",
  running: "Running",
  finishing: "Finishing",
  ended_still_running: "Ended, agent still running",
  running_elsewhere: "Running elsewhere",
  limit_reached: "Limit reached",
  interrupted: "Interrupted",
  agent_unknown: "Agent unknown",
  failed: "Failed",
  paused: "Paused",
  stopped: "Stopped",
  left_by_user: "Left by user",
  completed_with_warnings: "Completed with warnings",
  completed: "Completed",
  not_started: "Not started",
  unknown: "Unknown “{word}”",
} as const;

export const agent = {
  ours: "Loopdeck’s agent",
  elsewhere: "active elsewhere",
  gone: "agent ended",
  none: "no agent",
  cannot_tell: "unknown",
} as const;

/** The same facts after the word “agent:”. */
export const agentFact = {
  ours: "Loopdeck’s",
  elsewhere: "elsewhere, owner unknown",
  gone: "ended",
  none: "none known",
  cannot_tell: "unknown",
} as const;

export const group = {
  attention: "Needs you",
  active: "Active",
  idle: "Idle",
  finished: "Finished",
} as const;

export const format = {
  loop_v2: "Loop v2",
  loop_b: "Loop-B",
  aot: "AoT",
  v1: "v1",
  legacy: "Legacy",
  unknown: "Unknown",
} as const;

/** Actions of a loop, as its file names them. */
export const action = {
  init: "Init",
  develop: "Develop",
  debug: "Debug",
  validate: "Validate",
  complete: "Complete",
} as const;

export const phase = {
  not_initialised: "Not initialised",
  init: "Init",
  develop: "Develop · {done} of {total}",
  debug: "Debug · hypothesis {judged} of {total}",
  debug_confirmed: "Debug · {confirmed} confirmed",
  validate: "Validate · {passed} of {total}",
  complete: "Complete",
  workers: "{phase} · {done} of {total}",
  atoms: "Atoms {resolved} of {total}",
  atoms_ready: "Atoms {resolved} of {total} · {ready} ready",
  steps: "Step {current} of {total}",
} as const;

export const limit = {
  iterations: "iterations used up",
  stalls: "no progress for too long",
  alternatives: "all alternatives failed",
  no_atoms: "no atoms",
} as const;

export const verb = {
  start: "Start",
  pause: "Pause",
  pause_aot: "Pause after this iteration",
  pause_short: "Pause",
  resume: "Resume",
  stop: "Stop",
  reopen: "Reopen",
  finalise: "Mark as stopped",
  edit_metadata: "Edit details…",
  delete: "Delete…",
} as const;

export const request = {
  requested: "{verb} requested {time} · waiting",
  in_effect: "{verb} requested {time} → in effect",
  failed: "{verb} requested {time} · could not be written, kept for later",
  overruled: "{verb} overruled by another tool at {time}",
  in_force: "In force: {status}",
  sent_again: {
    one: "An older version of the file overwrote the request. Sent again ({count}).",
    other: "An older version of the file overwrote the request. Sent again ({count}).",
  },
  sent_again_pause: {
    one: "An older version of the file overwrote the pause. Sent again ({count}).",
    other: "An older version of the file overwrote the pause. Sent again ({count}).",
  },
} as const;

export const atom = {
  ready: "Ready",
  in_progress: "In progress",
  resolved: "Resolved",
  blocked: "Blocked",
  container: "Container",
  inactive: "Not chosen",
  failed: "Tried, failed",
  choose_branch: "Choose a branch",
} as const;

/** Why an atom cannot start. */
export const blocker = {
  waits_for: "Waits for {name}",
  missing: "Waits for {name}, which doesn’t exist",
  failed_in: "A failed choice of {name}",
  not_selected: "Another choice of {name} is selected",
  choose_branch: "{name} has no choice yet",
} as const;

/** What happened, in the timeline. */
export const event = {
  change_log: "Files changed",
  debug_log: "Log output",
  develop_entry: "Developed",
  debug_entry: "Debugged",
  validate_entry: "Validated",
  summary_entry: "Summary written",
  error: "Error",
  worker: "Worker result",
  trail: "Alternative chosen",
  correction: "Corrected",
  decomposition: "Decomposed",
} as const;

export const severity = { info: "Info", lint: "Lint", warning: "Warning", error: "Error" } as const;

/** Words the formats themselves use for tasks, hypotheses, tests and atoms. */
export const word = {
  pending: "Pending",
  in_progress: "In progress",
  completed: "Completed",
  failed: "Failed",
  resolved: "Resolved",
  confirmed: "Confirmed",
  rejected: "Rejected",
  inconclusive: "Inconclusive",
  passed: "Passed",
  skipped: "Skipped",
  success: "Success",
  partial: "Partial",
  needs_input: "Needs input",
  needs_more_info: "Needs more information",
  needs_fix: "Needs a fix",
  blocked: "Blocked",
  created: "Not started",
  running: "Running",
  paused: "Paused",
  stopped: "Stopped",
  user_exit: "Left by user",
} as const;
