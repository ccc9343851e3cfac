import {
  FORMAT_TRAITS,
  type LoopRow,
  type OutputRow,
  type RunOutcome,
  type RunRow,
  type UnreadReport,
} from "../../../host/bindings";
import type { Role, Shape } from "../../../components/shapes";
import { duration, moment } from "../../../words/format";
import { fill, say, t } from "../../../words/language.svelte";
import { known } from "../../../words/phrases";
import { withoutCodes } from "./ansi";

/** What a run does, in words; workers have actions of their own. */
export function actionText(action: string): string {
  return known(t.action, action) ?? action;
}

/** The same while it lasts. */
export function doingText(action: string): string {
  return known(t.runDoing, action) ?? actionText(action);
}

interface Ending {
  readonly shape: Shape;
  readonly role: Role;
  readonly text: string;
}

const ENDINGS: Readonly<Record<RunOutcome, readonly [Shape, Role]>> = {
  ok: ["tick", "success"],
  task_failed: ["cross", "danger"],
  limit: ["hourglass", "attention"],
  auth: ["cross", "danger"],
  budget: ["limit", "attention"],
  cancelled: ["square", "neutral"],
  crashed: ["broken", "danger"],
  unknown: ["question", "attention"],
};

/** How a run ended, or that it lasts. */
export function endingOf(run: Pick<RunRow, "ended" | "outcome" | "stop">): Ending {
  if (run.ended === null) return { shape: "circle", role: "active", text: t.status.running };
  const outcome = run.outcome ?? "unknown";
  const [shape, role] = ENDINGS[outcome];
  return { shape, role, text: t.runOutcome[outcome] };
}

/** A running run is shown in whole seconds. */
const SECOND = 1000;

/** How long a run has lasted so far; for one that has just started, that. */
export function lastsText(run: Pick<RunRow, "started">, now: number): string {
  const lasts = Math.floor((now - run.started) / SECOND) * SECOND;
  return lasts < SECOND ? t.common.justStarted : say(t.runControl.since, { duration: duration(lasts) });
}

/** How long a run took, or has taken until now. */
export function runDuration(run: Pick<RunRow, "started" | "ended">, now: number): string {
  if (run.ended !== null) return duration(Math.max(0, run.ended - run.started));
  const lasts = Math.floor((now - run.started) / SECOND) * SECOND;
  return lasts < SECOND ? t.common.justStarted : duration(lasts);
}

/** “Iteration 3 · Develop · Running”. */
export function runOption(run: RunRow): string {
  const { iteration } = run;
  return say(t.output.option, { iteration, action: actionText(run.action), outcome: endingOf(run).text });
}

/** Who ran: agents have names, a test command has none. */
export function agentText(run: Pick<RunRow, "agent">): string {
  return run.agent === "" ? t.start.fieldName.test_command : run.agent;
}

/**
 * What is between the request and its effect, while an agent of ours is alive; nothing when nothing
 * is.
 */
export function waitingText(row: LoopRow, now: number): string | null {
  if (!row.run?.alive) return null;
  if (row.word === "ended_still_running") return t.runControl.stillRuns;
  const pause = row.word === "pausing";
  if (!pause && row.word !== "stopping") return null;
  const time = moment(row.request?.at ?? row.changed, now);
  // AoT rounds end whole; actions of the others are waited for one by one.
  const asked = say(t.request.requested, { verb: pause ? t.verb.pause : t.verb.stop, time });
  if (!row.iteration || (row.handling === "driven" && !FORMAT_TRAITS[row.format].has_atoms)) return asked;
  return `${asked} · ${say(t.runControl.stillWorks, { iteration: row.iteration.current })}`;
}

/** The sentence of a note of ours; notes that are not known say what they say. */
export function noteText(row: Pick<OutputRow, "name" | "text">): string {
  const notes: Readonly<Record<string, Parameters<typeof fill>[0]>> = t.outputNote;
  const message = Object.hasOwn(notes, row.name) ? notes[row.name] : undefined;
  const text = withoutCodes(row.text);
  if (message)
    return fill(message, { session: text, count: row.text === "" ? text : Number(row.text) || text });
  return text === "" ? row.name : text;
}

/** So many files are named in a sentence. */
const NAMED = 3;

/** What the disk says of a run, where that differs from what its agent says: one sentence for each difference. */
export function shownDifferences(run: RunRow): readonly string[] {
  const found = run.checked;
  const unread = run.unread.map(unreadText);
  if (!found) return unread;
  const { checked } = t.output;
  const files = (words: typeof checked.unchanged | typeof checked.instrumented, names: readonly string[]) =>
    names.length === 0
      ? []
      : [
          fill(words, {
            count: names.length,
            names: [...names.slice(0, NAMED), ...(names.length > NAMED ? ["…"] : [])].join(
              t.units.listSeparator,
            ),
          }),
        ];
  const nothing = run.action === "debug" ? checked.nothing_fixed : checked.nothing_changed;
  return [
    ...(found.nothing_changed ? [nothing] : []),
    ...files(checked.unchanged, found.unchanged),
    ...files(checked.instrumented, found.instrumented),
    ...unread,
  ];
}

/** Why a report of tests was not read, or not to its end. */
export function unreadText({ source, why }: UnreadReport): string {
  const file = source === "output" ? t.output.unreadOutput : withoutCodes(source);
  const { reason, ...values } = why;
  return fill(t.output.unread[reason], { file, ...values });
}

/** The same, with what is in the debug log. */
export function checkedTexts(run: RunRow): readonly string[] {
  const { log_entries: entries = 0, log_foreign: foreign = 0 } = run.checked ?? {};
  const { checked } = t.output;
  return [
    ...shownDifferences(run),
    ...(entries > 0 ? [say(checked.log_entries, { count: entries })] : []),
    ...(foreign > 0 ? [say(checked.log_foreign, { count: foreign })] : []),
  ];
}

/** What became of the conversation in which an action was cut off; nothing for a run that began with a new one. */
export function earlierText(run: RunRow): string | null {
  return run.resumed && noteText({ name: run.resumed.how, text: run.resumed.session });
}
