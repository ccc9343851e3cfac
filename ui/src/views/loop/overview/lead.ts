import type { Control, LoopDetail, LoopRow, Phase, StatusWord } from "../../../host/bindings";
import { canLift, verbLabel } from "../../../state/menu-items";
import { fill, say, t } from "../../../words/language.svelte";
import { isClaimed } from "../../../words/phrases";
import type { LooseSlots } from "../../../words/message";
import { progressOf } from "../tasks/headings";

/** Words that ask for the same sentence and the same facts. */
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

/** How far the work is: “41 of 44 tests passed”. */
function progressText(row: LoopRow, detail: LoopDetail): string {
  const work = leadWork(row, detail);
  if (work === null) return "";
  if (work.kind === "complete" && standingOf(row) === "done") return t.lead.progress.finished;
  if (work.kind === "develop" && work.total === 0) return t.lead.progress.develop_none;
  if (work.kind === "validate" && work.total === 0) return t.lead.progress.validate_none;
  if (work.kind === "debug") {
    if (work.confirmed) return fill(t.lead.progress.debug_confirmed, { confirmed: work.confirmed });
    if (work.total === 0) return t.lead.progress.debug_none;
  }
  if (work.kind === "todo" && isClaimed(row)) return fill(t.lead.progress.claimed, { ...work });
  return fill(t.lead.progress[work.kind], { ...work } as unknown as LooseSlots);
}

const begin = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

function happenedText(row: LoopRow, detail: LoopDetail, past: boolean): string {
  const standing = standingOf(row);
  if (standing === "not_started") return t.lead.notStarted;
  if (standing === "cannot_read") return t.lead.cannotRead;
  if (standing === "unknown") {
    return row.file_word ? say(t.lead.unknown, { word: row.file_word }) : t.lead.noStatus;
  }
  const progress = progressText(row, detail);
  // The head of the page has the iteration that it is in now.
  if (standing === "going" && !past) return progress;
  if (!row.iteration || progress === "") return begin(progress);
  const limited = standing === "limited" && row.limit ? t.lead.limited[row.limit] : null;
  return fill(limited ?? t.lead.happened[standing], { ...row.iteration, progress });
}

/** More names than a sentence takes. */
const MOST_NAMES = 3;

function namesOf(ids: readonly string[]): string {
  const names = ids.slice(0, MOST_NAMES).join(t.units.listSeparator);
  const count = ids.length - MOST_NAMES;
  return count > 0 ? say(t.lead.more, { names, count }) : names;
}

/** Ids of what is being worked on. */
function inProgress(detail: LoopDetail): string[] {
  const { atoms, tasks } = detail;
  return [...atoms, ...tasks].filter(({ state }) => state === "in_progress").map(({ id }) => id);
}

const WAITS: Readonly<Partial<Record<StatusWord, keyof typeof t.lead.next>>> = {
  needs_you: "answer",
  usage_limit: "usage_limit",
  pausing: "pausing",
  stopping: "stopping",
  finishing: "finishing",
};

/** What the file says is being done, or is next. */
function nextInFile({ batch, way }: LoopDetail, doing: readonly string[]): string {
  const wish = way?.wish;
  if (wish) return say(t.lead.next.wish, { from: t.action[wish.from], to: t.action[wish.to] });
  if (doing.length > 0) return say(t.lead.next.doing, { names: namesOf(doing) });
  return batch.length > 0 ? say(t.lead.next.batch, { names: namesOf(batch) }) : "";
}

function nextOfGoing(row: LoopRow, detail: LoopDetail, doing: readonly string[]): string {
  const waits = WAITS[row.word];
  if (waits) return fill(t.lead.next[waits]);
  const next = nextInFile(detail, doing);
  if (next !== "") return next;
  if (row.runner) return say(t.lead.next.beside, { place: t.runner[row.runner.program] });
  return row.run?.alive ? say(t.lead.next.ours, { agent: row.run.agent }) : t.lead.next.elsewhere;
}

const usable = (control: Control | undefined): control is Control =>
  control !== undefined && (control.refusal === null || canLift(control));

function nextText(row: LoopRow, detail: LoopDetail, doing: readonly string[]): string {
  const standing = standingOf(row);
  if (standing === "going") return nextOfGoing(row, detail, doing);
  if (standing === "cannot_read") return t.lead.next.recover;
  if (row.handling === "read_only") return t.lead.next.readOnly;
  if (standing === "done") {
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

/**
 * What is going on, or what happened, then how far it is and what is next; `doing` are the ids of what is being worked on. Of a `past` version,
 * what is next is only what its file says.
 */
export function leadText(row: LoopRow, detail: LoopDetail, doing = inProgress(detail), past = false): string {
  const happened = happenedText(row, detail, past);
  const going = standingOf(row) === "going";
  const next = !past ? nextText(row, detail, doing) : going ? nextInFile(detail, doing) : "";
  const parts = (going ? [next, happened] : [happened, next]).filter((part) => part !== "");
  return begin(parts.join(t.lead.between));
}
