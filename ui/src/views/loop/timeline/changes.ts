import type { Changed, ChangedWhat, KnownStatus, WriteCause } from "../../../host/bindings";
import { fill, say, t } from "../../../words/language.svelte";
import type { Message } from "../../../words/message";
import { changedText } from "../../../words/loop-phrases";
import { within, wordText } from "../../../words/phrases";

/** What became of something, in a sentence, or in the word of its status. */
type Told = keyof typeof t.timeline.told | "failed" | "resolved" | "confirmed" | "rejected" | "inconclusive";

/** Facts of the overview that are an event when they change: what begins with the new value, what ends with the old one. */
const FACTS: Readonly<Record<string, { readonly to?: Told; readonly gone?: Told }>> = {
  current_action: { to: "started", gone: "done" },
  last_action: { to: "done" },
  current_iteration: { to: "iteration" },
  iteration: { to: "iteration" },
  phase: { to: "phase" },
  current_task: { to: "task", gone: "done" },
};

/** Facts that only repeat what another change of the same write says. */
const REPEATED: ReadonlySet<string> = new Set([
  "action_index",
  "completed_actions",
  "workers_completed",
  "prev_pending_count",
  "unresolved",
  "unresolved_raw",
]);

const STATUSES: Readonly<Partial<Record<KnownStatus, Told>>> = {
  in_progress: "started",
  running: "started",
  completed: "done",
  success: "done",
  failed: "failed",
  resolved: "resolved",
  confirmed: "confirmed",
  rejected: "rejected",
  inconclusive: "inconclusive",
};

/** Things with an id and a status. */
const THINGS: ReadonlySet<ChangedWhat> = new Set(["task", "listed_task", "hypothesis", "atom"]);

/** Writes whose name says already what became of the status. */
const SAYS_STATUS: ReadonlySet<WriteCause> = new Set([
  "start",
  "pause",
  "resume",
  "stop",
  "reopen",
  "finalise",
]);

type Saying = { readonly told: Told; readonly name: string } | { readonly text: string };

function ofFact(change: Changed): Saying {
  const known = Object.hasOwn(FACTS, change.id) ? FACTS[change.id] : undefined;
  const { from, to } = change;
  if (known?.to && to) return { told: known.to, name: to };
  if (known?.gone && from && !to) return { told: known.gone, name: from };
  return { text: changedText(change) };
}

function ofThing(change: Changed): Saying {
  const { id, from, to, from_status, to_status } = change;
  const status = to_status ? STATUSES[to_status] : undefined;
  if (to === null) return { told: "removed", name: id };
  if (status) return { told: status, name: id };
  if (from === null) return { told: "added", name: id };
  if (to_status === "pending" && from_status) return { told: "back", name: id };
  return { text: changedText(change) };
}

function sayingOf(change: Changed): Saying {
  const { what, to } = change;
  if (what === "fact") return ofFact(change);
  if (THINGS.has(what)) return ofThing(change);
  if (what === "root_cause" && to) return { told: "rootCause", name: to };
  if (what === "test_run" && to) return { text: fill(t.timeline.told.testRun, { to }) };
  if (what === "errors" && to) return { text: fill(t.timeline.told.errors, { count: Number(to) }) };
  return { text: changedText(change) };
}

/** Whether a change says only what another one says too, or what the name of the write says. */
function isSaid({ what, id }: Changed, cause: WriteCause | null, alone: boolean): boolean {
  if (what !== "fact") return false;
  return (REPEATED.has(id) && !alone) || (id === "status" && cause !== null && SAYS_STATUS.has(cause));
}

/** The change that a version is called by. */
export function mainChange(changes: readonly Changed[], cause: WriteCause | null): Changed | null {
  return changes.find((change) => !isSaid(change, cause, changes.length === 1)) ?? null;
}

/** Whether something began: an action, a phase, an iteration. */
export function isBeginning({ what, id, to }: Changed): boolean {
  return what === "fact" && to !== null && to !== "" && Object.hasOwn(FACTS, id);
}

/** What changes did, each in a few words: “VALIDATE started”, “task-001, task-002 done”. */
export function toldOf(changes: readonly Changed[], cause: WriteCause | null): string[] {
  const said = new Map<string, string[]>();
  const texts = new Map<string, string>();
  for (const change of changes) {
    if (isSaid(change, cause, changes.length === 1)) continue;
    const saying = sayingOf(change);
    if ("text" in saying) texts.set(saying.text, saying.text);
    else {
      const names = said.get(saying.told) ?? [];
      said.set(saying.told, [...names, saying.name]);
      texts.set(saying.told, "");
    }
  }
  return [...texts].map(([key, text]) => {
    const names = said.get(key);
    if (!names || text !== "") return text;
    const list = names.join(t.units.listSeparator);
    const told = t.timeline.told as Readonly<Record<string, Message>>;
    const message = Object.hasOwn(told, key) ? told[key] : undefined;
    return message === undefined
      ? say(t.units.labelled, { name: list, value: within(wordText(key)) })
      : fill(message, { names: list });
  });
}
