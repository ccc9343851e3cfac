import type { JobView, Offer, OfferedRepository, PassedBy, Target } from "../host/bindings";
import { SHAPES, type Role, type Shape } from "../components/shapes";
import { moment } from "./format";
import { fill, say, t } from "./language.svelte";
import { known } from "./phrases";
import { machineText } from "./team-phrases";

/** Names of agents by their ids; of one that is not known, its id is its name. */
export type NameOf = (agent: string) => string;

const SIGNS: Readonly<Record<JobView["stage"], readonly [Shape, Role]>> = {
  waiting: ["gap", "neutral"],
  queued: ["gap", "neutral"],
  running: ["circle", "active"],
  ended: ["tick", "success"],
  refused: ["octagon", "attention"],
  interrupted: ["broken", "danger"],
  withdrawn: ["square", "neutral"],
};

function isStatus(word: string): word is keyof typeof SHAPES {
  return Object.hasOwn(SHAPES, word);
}

/** How a run on another machine is drawn. */
export function runSign({ stage, word, gone_since }: JobView): readonly [Shape, Role] {
  if (stage === "ended" && word !== null) return isStatus(word) ? SHAPES[word] : SHAPES.unknown;
  if (stage === "running" && gone_since !== null) return ["broken", "attention"];
  return SIGNS[stage];
}

/** Whether nothing more becomes of it. */
export function isOver({ stage }: JobView): boolean {
  return stage !== "waiting" && stage !== "queued" && stage !== "running";
}

/** Whether it can still be withdrawn before anybody takes it. */
export function canBeWithdrawn({ stage }: JobView): boolean {
  return stage === "waiting" || stage === "queued";
}

/** How far it is, and since when. */
export function runText(job: JobView, now: number): string {
  const { stage, target, seat, since, gone_since } = job;
  const where = seat === null ? "" : machineText(seat);
  const time = moment(gone_since ?? since, now);
  switch (stage) {
    case "queued":
      return target.kind === "any"
        ? t.remote_run.queued
        : say(t.remote_run_more.queuedAt, { where: machineText(target.seat) });
    case "running": {
      if (seat === null) return say(t.remote_run_more.runningSomewhere, { time });
      if (gone_since === null) return say(t.remote_run.running, { where, time });
      const continues = job.if_gone === "continue" && target.kind === "any";
      return say(continues ? t.remote_run_more.goneContinue : t.remote_run_more.goneInterrupt, {
        where,
        time,
      });
    }
    case "ended":
      return endText(job, where);
    case "refused":
      return refusedText(job, where);
    case "interrupted":
      return seat === null ? t.remote_run.interrupted : say(t.remote_run_more.interruptedOn, { where, time });
    default:
      return t.remote_run[stage];
  }
}

function endText({ word }: JobView, where: string): string {
  if (word === null) return t.remote_run.ended;
  const status = isStatus(word) ? fill(t.status[word], { word }) : fill(t.status.unknown, { word });
  return where === "" ? status : say(t.remote_run_more.endedAs, { status, where });
}

/** Why a node left it to others. */
export function passedText({ seat, why }: PassedBy): string {
  const reason = known(t.run_refused, why) ?? why;
  return say(t.remote_run_more.failedThere, { where: machineText(seat), reason });
}

/** Why a machine does not run it. Of a failure there its kind and at most a reason are known: not what other slots would need. */
function refusedText({ why, reason: said }: JobView, where: string): string {
  const code = why ?? "";
  const reason = known(t.run_refused, code);
  if (reason !== null || where === "") return say(t.remote_run.refused, { reason: reason ?? code });
  const failure = known(t.failure, code);
  const whole =
    failure !== null && !(said === null ? failure : failure.replace("{reason}", "")).includes("{");
  const reasonThere = whole ? fill(failure, { reason: said ?? "" }) : code;
  return say(t.remote_run_more.failedThere, { where, reason: reasonThere });
}

/** Where it was sent. */
export function targetText(target: Target, agent: string): string {
  if (target.kind === "machine") return say(t.team.target, { where: machineText(target.seat) });
  const memory = target.memory_gb;
  const any = say(t.team.targetAny, { agent });
  return memory === 0 ? any : `${any} · ${memory} GB`;
}

/** “1 of 4 slots in use · 64 GB”. */
export function offerText({ slots = 0, busy = 0, memory_gb = 0 }: Offer): string {
  const used = say(t.team.offersSlots, { count: busy, slots });
  return memory_gb === 0 ? used : `${used} · ${memory_gb} GB`;
}

/** “Claude Code, Codex · at most “Edit files” · from ana”. */
export function repositoryText(
  { agents, level, from }: OfferedRepository,
  owner: string,
  nameOf: NameOf,
): string {
  const separator = t.units.listSeparator;
  return [
    agents.length === 0 ? t.startChecks.agentNone : agents.map(nameOf).join(separator),
    say(t.team.offerMost, { level: t.start.levels[level] }),
    from.length === 0
      ? say(t.team.offerFromOwn, { member: owner })
      : say(t.team.offerFrom, { names: from.join(separator) }),
  ].join(" · ");
}

/** Runs that a person has to know of first: those under way, then those whose result is not taken in. */
export function inOrder(jobs: readonly JobView[]): JobView[] {
  const rank = (job: JobView) => (!isOver(job) ? 0 : job.has_result || job.result_awaited ? 1 : 2);
  return [...jobs].sort((one, other) => rank(one) - rank(other));
}
