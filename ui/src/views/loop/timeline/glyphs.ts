import type { IconName } from "../../../components/icons";
import type { Role } from "../../../components/shapes";
import type {
  Changed,
  ChangedWhat,
  EventKind,
  TestOutcome,
  TimelineEntry,
  WriteCause,
} from "../../../host/bindings";
import { isBeginning, mainChange } from "./changes";

type Glyph = readonly [IconName, Role];

const EVENTS: Readonly<Record<EventKind, Glyph>> = {
  change_log: ["code", "active"],
  develop_entry: ["code", "active"],
  debug_entry: ["bug", "info"],
  debug_log: ["list", "neutral"],
  validate_entry: ["tick", "neutral"],
  summary_entry: ["document", "success"],
  error: ["alert", "danger"],
  worker: ["agent", "active"],
  trail: ["branch", "info"],
  decomposition: ["branch", "info"],
  correction: ["pencil", "attention"],
  plan_log: ["list", "neutral"],
};

const RUNS: Readonly<Record<TestOutcome, Glyph>> = {
  passed: ["tick", "success"],
  failed: ["close", "danger"],
  no_tests: ["tick", "neutral"],
};

const CAUSES: Readonly<Record<WriteCause, IconName>> = {
  start: "play",
  pause: "pause",
  resume: "play",
  stop: "stop",
  reopen: "play",
  finalise: "stop",
  edit_metadata: "pencil",
  undo: "undo",
  restore: "clock",
  late: "document",
  repair: "repair",
  recover: "repair",
  edit_tasks: "tasks",
  move_tasks: "tasks",
  new_loop: "plus",
  operate: "pencil",
  redirect: "branch",
  answer: "tick",
};

const WHATS: Readonly<Record<Exclude<ChangedWhat, "fact">, IconName>> = {
  task: "tasks",
  listed_task: "tasks",
  hypothesis: "bug",
  root_cause: "bug",
  atom: "tasks",
  branch: "branch",
  test_run: "tick",
  worker: "agent",
  correction: "pencil",
  errors: "alert",
};

/** What a version is called by says more than that the file changed. */
function ofChange(change: Changed | null): IconName {
  if (change === null) return "document";
  if (change.what !== "fact") return WHATS[change.what];
  return isBeginning(change) ? "play" : "document";
}

const ofCause = (cause: WriteCause | null, role: Role): Glyph => [cause ? CAUSES[cause] : "pencil", role];

/** The icon that says what the words say, and its colour. */
export function entryGlyph({ content }: TimelineEntry): Glyph {
  switch (content.from) {
    case "event":
      return EVENTS[content.event];
    case "test_run":
      return RUNS[content.outcome];
    case "correction":
      return EVENTS.correction;
    case "step":
      return ["command", content.exit_code === null || content.exit_code === 0 ? "active" : "danger"];
    case "version":
      return content.who === "foreign"
        ? [ofChange(mainChange(content.changes, content.cause)), "neutral"]
        : ofCause(content.cause, "active");
    case "write":
      return ofCause(content.cause, "active");
    case "request":
    case "asked_across":
      return ofCause(content.cause, "neutral");
    case "answered_across":
      return ofCause(content.cause, content.refused === null ? "neutral" : "attention");
    case "message":
      return ["pencil", content.delivered ? "active" : "attention"];
    case "deleted":
      return ["close", "neutral"];
  }
}
