import type { AnswerView, ConnectionView, ElsewhereView, Seat } from "../host/bindings";
import type { Role, Shape } from "../components/shapes";
import { moment } from "./format";
import { say, sentences, t } from "./language.svelte";
import { known, wantedText, within } from "./phrases";

/** How a connection is drawn. */
export const CONNECTION_SIGNS: Readonly<Record<ConnectionView["kind"], readonly [Shape, Role]>> = {
  connecting: ["gap", "neutral"],
  connected: ["circle", "success"],
  lost: ["octagon", "attention"],
};

/** How the connection is, and since when. */
export function connectionText(connection: ConnectionView, now: number): string {
  if (connection.kind === "connecting") return t.team.connecting;
  if (connection.kind === "connected") return t.team.connected;
  const { since } = connection;
  return since === null ? t.team.lostNow : say(t.team.lost, { time: moment(since, now) });
}

/** The same where nothing around it says what is connected. */
export function connectionTip(connection: ConnectionView, now: number): string {
  const text = connectionText(connection, now);
  return say(t.team.tip, { connection: connection.kind === "lost" ? text : within(text) });
}

export function machineText({ machine, member }: Seat): string {
  return say(t.team.machine, { machine, member });
}

/** How far the clock of a machine is from the server's. */
export function clockText(ahead: number): string {
  return say(ahead > 0 ? t.team.clockAhead : t.team.clockBehind, { count: Math.abs(ahead) });
}

/** Since when the machine of a copy is not reachable; nothing when it is. */
export function sinceText({ unreachable_since }: ElsewhereView, now: number): string {
  if (unreachable_since === null) return "";
  return say(t.team.awaySince, { time: moment(unreachable_since, now) });
}

/** Whose folder a copy is of, and whether its machine is reachable. */
export function copyTip(elsewhere: ElsewhereView, now: number): string {
  return aboutCopy(say(t.team.awayFolder, { ...elsewhere }), elsewhere, now);
}

/** The same of a loop in it. */
export function copiedLoopTip(elsewhere: ElsewhereView, now: number): string {
  return aboutCopy(say(t.failure.on_another_machine, { ...elsewhere }), elsewhere, now);
}

function aboutCopy(whose: string, elsewhere: ElsewhereView, now: number): string {
  const since = elsewhere.unreachable_since;
  return sentences(
    whose,
    since !== null && say(t.team.awayGone, { time: moment(since, now) }),
    elsewhere.rows_only && t.team.awayRows,
    !elsewhere.rows_only && !elsewhere.output && t.team.awayNoOutput,
    !elsewhere.steerable && t.team.awayLocked,
  );
}

/** What became of a request to another machine. */
export function answerText({ seat, verb, refused }: AnswerView): string {
  const slots = { ...seat, verb: wantedText(verb) };
  if (refused === null) return say(t.team.answered, slots);
  return say(t.team.declined, { ...slots, reason: declinedText(refused) });
}

/** Why another machine did not do what was asked. */
export function declinedText(refused: string): string {
  return known(t.team.declinedBy, refused) ?? say(t.team.declinedBy.other, { code: refused });
}
