/** Phrases of what is shown behind the list. */
import type {
  Changed,
  HypothesisView,
  KnownStatus,
  LoopRow,
  Phase,
  Problem,
  RepairOffer,
  RequestView,
  TaskView,
  VersionView,
} from "../host/bindings";
import { relativeTime } from "./format";
import { fill, t } from "./language.svelte";
import {
  disabledText,
  factName,
  fileFact,
  known,
  numeric,
  phaseText,
  requestText,
  statusText,
  wordText,
} from "./phrases";

/** The phase where its figures are shown next to it; empty for one that is nothing but figures. */
export function phaseName(phase: Phase): string {
  const { kind } = phase;
  if (kind === "atoms" || kind === "todo") return "";
  return kind === "develop" || kind === "debug" || kind === "validate" ? t.action[kind] : phaseText(phase);
}

/** How far a task is; an undefined word as written, or that there is none. */
export function taskStatus({ state, status }: Pick<TaskView, "state" | "status">): string {
  if (state !== "other") return wordText(state);
  return status.trim() === "" ? t.units.statusNone : status;
}

/** The verdict on a hypothesis; an undefined word as written, or that there is none. */
export function verdictText({ verdict, status }: Pick<HypothesisView, "verdict" | "status">): string {
  if (verdict !== "other") return wordText(verdict);
  return status.trim() === "" ? t.units.statusNone : status;
}

export function problemHint(problem: Problem): string {
  return fill(t.problem[problem.code][1], problem.args);
}

/** What a repair will do, or why it cannot be done now. */
export function repairText(offer: RepairOffer, status: string): string {
  if (offer.refusal) return disabledText(t.repairs.button, offer.refusal, status);
  // What a backup gives back is only known where there is one.
  if (offer.code === "clean_task_list" && "lost" in offer.args && "restored" in offer.args) {
    return fill(t.repairEffect.clean_task_list_counted, numeric(offer.args));
  }
  return fill(t.repairEffect[offer.code], numeric(offer.args));
}

/** Where a field of a proposal comes from; a file's name stays as it is. */
export function sourceText(source: string): string {
  return known(t.recoverySource, source) ?? known(t.recoveryWay, source) ?? source;
}

/** What happened with a version: what we wrote it for, or that another program changed the file. */
export function versionText(version: Pick<VersionView, "cause">): string {
  return version.cause === null ? t.history.foreign : t.writeCause[version.cause];
}

/** One side of a change: a status by its name, everything else as it is written. */
export function changedWord(status: KnownStatus | null | undefined, written: string | null): string {
  return status ? wordText(status) : (written ?? "");
}

/** “Task task-002: Pending → Completed”. */
export function changedText({ what, id, from, to, from_status, to_status }: Changed): string {
  const name = fill(t.changed[what], { id: what === "fact" ? factName(id) : id });
  const slots = { what: name, from: changedWord(from_status, from), to: changedWord(to_status, to) };
  const sentence = from === null ? t.changes.added : to === null ? t.changes.gone : t.changes.became;
  return fill(sentence, slots);
}

/** The same with the status in force, where the request is not. */
export function requestFacts(request: RequestView, row: LoopRow, now: number): string[] {
  const lines = requestText(request, now);
  if (request.state !== "overruled") return lines;
  return [...lines, fill(t.request.in_force, { status: statusText(row, now) })];
}

/** What is known of the agent. That it is none of ours says so itself. */
function agentText({ agent }: LoopRow): string {
  return agent === "elsewhere"
    ? t.agentFact.elsewhere
    : fill(t.list.evidenceAgent, { agent: t.agentFact[agent] });
}

/** The header's second line: “state file says running · agent: none known · last change 3 h ago”. */
export function evidence(row: LoopRow, now: number): string[] {
  const parts = [
    fileFact(row),
    agentText(row),
    fill(t.list.evidenceChange, { time: relativeTime(row.changed, now) }),
  ];
  if (row.limit) parts.push(t.limit[row.limit]);
  return parts;
}
