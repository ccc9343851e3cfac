import type { LoopRow, StopView } from "../host/bindings";
import { fill, t } from "../words/language.svelte";
import { statusText, stopText } from "../words/phrases";
import type { Announcer } from "./announcer.svelte";
import type { Pulled } from "./catalog.svelte";
import { clock } from "./clock.svelte";

/** Announces what changed in the list. Only what a person follows: a status that changed. */
export function announceChanges(announcer: Announcer, pulled: Pulled): void {
  if (pulled.snapshot) return;
  for (const { before, row } of pulled.changed) {
    // A stop is only believed once its result is announced.
    const stop = before ? newStop(before, row) : null;
    if (!before || (before.word === row.word && !stop)) continue;
    // What it needs is announced in full by those who ask.
    if (!stop && (row.run?.needs ?? 0) > (before.run?.needs ?? 0)) continue;
    const now = fill(t.list.nowStatus, { title: row.title, status: statusText(row, clock.coarse) });
    const text = stop ? fill(t.units.labelled, { name: now, value: stopText(stop) }) : now;
    if (row.word === "needs_you" || row.word === "stopped" || stop) announcer.sayNow(text);
    else announcer.say(text);
  }
}

/** What a stop left behind, when that is news. */
function newStop(before: LoopRow, row: LoopRow): StopView | null {
  const stop = row.run?.stop ?? null;
  return JSON.stringify(stop) === JSON.stringify(before.run?.stop ?? null) ? null : stop;
}
