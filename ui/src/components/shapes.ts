import type {
  AtomState,
  HypothesisVerdict,
  KnownStatus,
  RowOutcome,
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
  | "barred"
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

/** A line or an area of a shape, as the data of an SVG path in a box of 16 px. */
export interface Outline {
  readonly kind: "fill" | "line" | "mark";
  readonly d: string;
  /** Of its stroke, in the same pixels. */
  readonly width?: number;
}

const fill = (d: string): Outline => ({ kind: "fill", d });
const line = (width: number, d: string): Outline => ({ kind: "line", d, width });
const circle = (x: number, y: number, r: number) =>
  `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0Z`;
/** A square around the middle with corners of 1 px. */
const square = (half: number) => {
  const side = 2 * half - 2;
  return `M${8 - half + 1} ${8 - half}h${side}a1 1 0 0 1 1 1v${side}a1 1 0 0 1-1 1h${-side}a1 1 0 0 1-1-1v${-side}a1 1 0 0 1 1-1Z`;
};

/** What each shape is drawn of. */
export const OUTLINES: Readonly<Record<Shape, readonly [Outline, Outline?]>> = {
  circle: [fill(circle(8, 8, 6))],
  ring: [line(3, circle(8, 8, 5))],
  gap: [line(2, "M10.6 3.5a5.2 5.2 0 1 1-5.2 0")],
  speech: [
    fill(
      "M3.5 2h9A1.5 1.5 0 0 1 14 3.5v6A1.5 1.5 0 0 1 12.5 11H8l-4 4v-4h-.5A1.5 1.5 0 0 1 2 9.5v-6A1.5 1.5 0 0 1 3.5 2Z",
    ),
  ],
  barred: [line(2, circle(8, 8, 5.4)), line(2, "m4.3 4.3 7.4 7.4")],
  bars: [fill("M3.5 2.5h3v11h-3zM9.5 2.5h3v11h-3z")],
  "bars-outline": [line(1.5, "M3.25 3h2.5v10h-2.5zM10.25 3h2.5v10h-2.5z")],
  square: [fill(square(5.5))],
  "square-outline": [line(2, square(5))],
  tick: [line(2.6, "m2.5 8.5 3.7 3.8 7.3-8.5")],
  "tick-dot": [line(2.4, "m1.5 8.5 3.5 3.8 6.5-8"), fill(circle(13, 12.5, 2.2))],
  cross: [line(2.8, "m3.3 3.3 9.4 9.4m0-9.4-9.4 9.4")],
  broken: [
    line(
      2.5,
      "M8.7 2.6a5.4 5.4 0 0 1 4.6 4.1M13.3 9.8a5.4 5.4 0 0 1-4 3.5M6.2 13.1a5.4 5.4 0 0 1-3.5-4M2.8 6.2a5.4 5.4 0 0 1 2.6-3",
    ),
  ],
  octagon: [
    fill("M5.2 1.5h5.6l3.7 3.7v5.6l-3.7 3.7H5.2l-3.7-3.7V5.2Z"),
    { kind: "mark", d: "M8 4.5v4.3M8 11v.6", width: 1.9 },
  ],
  arrow: [line(1.9, "M9 3a5.2 5.2 0 1 0 0 10M6.5 8h8m-2.8-2.8L14.5 8l-2.8 2.8")],
  limit: [line(2, circle(8, 8, 5.2)), line(2.4, "M4 8h8")],
  hourglass: [line(1.8, "M4 2h8M4 14h8M5 2c0 3.5 6 8.5 6 12M11 2c0 3.5-6 8.5-6 12")],
  door: [line(1.7, "M3.5 14V2.5h6V14M2 14h12M12 6l2.5 2.5L12 11")],
  question: [line(2, "M5 5.7A3 3 0 1 1 8.8 8.6C8.2 8.9 8 9.3 8 10.3"), fill(circle(8, 13.3, 1.3))],
};

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

/** The state of a task, a hypothesis, a test, an atom or a worker, and how bad a problem is. */
export type Mark = AtomState | HypothesisVerdict | KnownStatus | RowOutcome | Severity | TaskState;

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
  blocked: ["barred", "attention"],
  dropped: ["square-outline", "neutral"],
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

export function markShape(mark: Mark): readonly [Shape, Role] {
  return MARKS[mark];
}
