import type {
  AtomState,
  HypothesisVerdict,
  KnownStatus,
  Outcome,
  Severity,
  StatusWord,
  TaskState,
} from "../host/bindings";

export type Role = "active" | "success" | "attention" | "danger" | "info" | "neutral";

/** Outlines that differ even in one colour; drawn in a 16 px box. */
export type Shape =
  | "circle"
  | "ring"
  | "gap"
  | "speech"
  | "bars"
  | "bars-outline"
  | "square"
  | "square-outline"
  | "tick"
  | "tick-dot"
  | "cross"
  | "broken"
  | "octagon"
  | "arrow"
  | "limit"
  | "hourglass"
  | "door"
  | "question";

export const SHAPES: Readonly<Record<StatusWord, readonly [Shape, Role]>> = {
  cannot_read: ["octagon", "danger"],
  needs_you: ["speech", "attention"],
  not_fully_stopped: ["octagon", "danger"],
  stopping: ["square-outline", "neutral"],
  pausing: ["bars-outline", "neutral"],
  usage_limit: ["hourglass", "attention"],
  silent: ["ring", "attention"],
  starting: ["circle", "active"],
  running: ["circle", "active"],
  finishing: ["circle", "active"],
  ended_still_running: ["octagon", "danger"],
  running_elsewhere: ["arrow", "info"],
  limit_reached: ["limit", "attention"],
  interrupted: ["broken", "danger"],
  agent_unknown: ["broken", "attention"],
  failed: ["cross", "danger"],
  paused: ["bars", "neutral"],
  stopped: ["square", "neutral"],
  left_by_user: ["door", "neutral"],
  completed_with_warnings: ["tick-dot", "success"],
  completed: ["tick", "success"],
  not_started: ["gap", "neutral"],
  unknown: ["question", "attention"],
};

/** How it stands with a task, a hypothesis, a test, an atom or a worker, and how bad a problem is. */
export type Mark = AtomState | HypothesisVerdict | KnownStatus | Outcome | Severity | TaskState;

const MARKS: Readonly<Record<Mark, readonly [Shape, Role]>> = {
  pending: ["gap", "neutral"],
  in_progress: ["circle", "active"],
  completed: ["tick", "success"],
  resolved: ["tick", "success"],
  confirmed: ["tick", "success"],
  passed: ["tick", "success"],
  success: ["tick", "success"],
  failed: ["cross", "danger"],
  rejected: ["cross", "danger"],
  skipped: ["square", "neutral"],
  inconclusive: ["ring", "attention"],
  partial: ["ring", "attention"],
  needs_input: ["speech", "attention"],
  needs_more_info: ["speech", "attention"],
  needs_fix: ["broken", "attention"],
  blocked: ["bars", "neutral"],
  created: ["gap", "neutral"],
  running: ["circle", "active"],
  paused: ["bars", "neutral"],
  stopped: ["square", "neutral"],
  user_exit: ["door", "neutral"],
  ready: ["gap", "active"],
  container: ["square-outline", "neutral"],
  inactive: ["gap", "neutral"],
  choose_branch: ["question", "attention"],
  error: ["octagon", "danger"],
  warning: ["octagon", "attention"],
  lint: ["question", "info"],
  info: ["gap", "info"],
  other: ["question", "neutral"],
};

export function shapeOf(mark: Mark): readonly [Shape, Role] {
  return MARKS[mark];
}
