import type { Control, LoopDetail, LoopRow, Phase, StatusWord } from "../../../host/bindings";
import { canLift, verbLabel } from "../../../state/menu-items";
import { say, t } from "../../../words/language.svelte";
import { progressOf } from "../tasks/headings";

/** Words that ask for the same text and the same facts. */
export type Standing =
  "going" | "halted" | "broken" | "failed" | "limited" | "done" | "not_started" | "cannot_read" | "unknown";

const STANDINGS: Readonly<Record<StatusWord, Standing>> = {
  cannot_read: "cannot_read",
  needs_you: "going",
  not_fully_stopped: "halted",
  stopping: "going",
  pausing: "going",
  usage_limit: "going",
  silent: "going",
  starting: "going",
  running: "going",
  finishing: "going",
  ended_still_running: "halted",
  running_elsewhere: "going",
  limit_reached: "limited",
  interrupted: "broken",
  agent_unknown: "broken",
  failed: "failed",
  paused: "halted",
  stopped: "halted",
  left_by_user: "halted",
  completed_with_warnings: "done",
  completed: "done",
  not_started: "not_started",
  unknown: "unknown",
};

export function standingOf(row: Pick<LoopRow, "word">): Standing {
  return STANDINGS[row.word];
}

/** The phase of a finished loop says that it is over; how far its work came says more. */
export function leadWork(row: Pick<LoopRow, "phase">, detail: LoopDetail): Phase | null {
  const { phase } = row;
  if (phase && phase.kind !== "complete") return phase;
  const run = detail.validation?.runs.at(-1);
  if (run && run.total > 0) return { kind: "validate", passed: run.passed, total: run.total };
  if (detail.tasks.length > 0) {
    return { kind: "develop", ...progressOf(detail.tasks) };
  }
  return phase;
}

/** More names than a line takes. */
const MOST_NAMES = 3;

function namesOf(ids: readonly string[]): string {
  const names = ids.slice(0, MOST_NAMES).join(t.units.listSeparator);
  const count = ids.length - MOST_NAMES;
  return count > 0 ? say(t.common.namesAndMore, { names, count }) : names;
}

/** Ids of what is being worked on. */
function inProgress(detail: LoopDetail): string[] {
  const { atoms, tasks } = detail;
  return [...atoms, ...tasks].filter(({ state }) => state === "in_progress").map(({ id }) => id);
}

const WAITS: Readonly<Partial<Record<StatusWord, () => string>>> = {
  needs_you: () => t.runDoing.asks,
  usage_limit: () => t.runDoing.waits,
  pausing: () => t.lead.next.pausing,
  stopping: () => t.lead.next.stopping,
  finishing: () => t.lead.next.finishing,
};

const BETWEEN = " · ";

/** The first task that waits. */
function taskAfter({ tasks, atoms }: LoopDetail): string[] {
  const next = atoms.length > 0 ? undefined : tasks.find(({ state }) => state === "pending");
  return next ? [next.id] : [];
}

/** What the file says is being done, and is next. */
function nextInFile(detail: LoopDetail, doing: readonly string[]): string {
  const { batch, way } = detail;
  const wish = way?.wish;
  if (wish) return say(t.lead.next.wish, { from: t.action[wish.from], to: t.action[wish.to] });
  const after = doing.length > 0 ? taskAfter(detail) : batch;
  return [
    doing.length > 0 ? say(t.lead.next.doing, { names: namesOf(doing) }) : "",
    after.length > 0 ? say(t.lead.next.batch, { names: namesOf(after) }) : "",
  ]
    .filter((part) => part !== "")
    .join(BETWEEN);
}

function nextOfGoing(row: LoopRow, detail: LoopDetail, doing: readonly string[]): string {
  const waits = WAITS[row.word];
  // Of a run of ours, the line above says already that it asks.
  const isSaid = row.word === "needs_you" && row.run?.alive === true;
  if (waits && !isSaid) return waits();
  const next = nextInFile(detail, doing);
  if (next !== "" || row.run?.alive) return next;
  return row.runner
    ? say(t.lead.next.beside, { place: t.runner[row.runner.program] })
    : t.lead.next.elsewhere;
}

const usable = (control: Control | undefined): control is Control =>
  control !== undefined && (control.refusal === null || canLift(control));

function nextText(row: LoopRow, detail: LoopDetail, doing: readonly string[]): string {
  const standing = standingOf(row);
  if (standing === "going") return nextOfGoing(row, detail, doing);
  if (standing === "cannot_read") return t.lead.next.recover;
  if (row.handling === "read_only") return t.lead.next.readOnly;
  // A list that is completed and got more items goes on.
  if (standing === "done" && row.primary === null) {
    const count = detail.follow_ups.length;
    return count > 0 ? say(t.lead.next.followUps, { count }) : t.lead.next.nothing;
  }
  if (row.word === "not_fully_stopped" || row.word === "ended_still_running") return t.lead.next.processes;
  const primary = detail.controls.find(({ verb }) => verb === row.primary);
  if (!usable(primary)) return "";
  if (canLift(primary)) return t.lead.next.lift;
  const slots = { verb: verbLabel(primary, row) };
  return say(standing === "not_started" ? t.lead.next.begin : t.lead.next.verb, slots);
}

/** What the status leaves open, where the format does not define it. */
function unknownText(row: LoopRow): string {
  if (standingOf(row) !== "unknown") return "";
  return row.file_word ? say(t.lead.unknown, { word: row.file_word }) : t.lead.noStatus;
}

/**
 * What comes next, in a line; `doing` are the ids of what is being worked on. Status, iteration and figures are said
 * elsewhere. Of a `past` version, what is next is only what its file says.
 */
export function leadText(row: LoopRow, detail: LoopDetail, doing = inProgress(detail), past = false): string {
  const going = standingOf(row) === "going";
  const next = !past ? nextText(row, detail, doing) : going ? nextInFile(detail, doing) : "";
  return [unknownText(row), next].filter((part) => part !== "").join(BETWEEN);
}
