import { asFailure } from "../host/failure";
import type { LoopRow } from "../host/bindings";
import { say, sentences, t } from "../words/language.svelte";
import { failureHint, failureText } from "../words/phrases";
import type { App } from "./app.svelte";
import { titlesOf } from "./list-marks";

/** Moves loops to the trash, one after the other, and offers the way back of all of them. What was moved before a failure stays moved. */
export async function deleteLoops(app: App, rows: readonly LoopRow[]): Promise<void> {
  const gone: LoopRow[] = [];
  const tell = () => {
    if (gone.length === 0) return;
    const text = say(t.units.labelled, { name: t.marks.deleted, value: titlesOf(gone) });
    app.notices.notify(text, restorable ? () => restoreAll(app, gone) : null);
  };
  let restorable = true;
  try {
    for (const row of rows) {
      const deletion = await app.host.deleteLoop(row.key);
      restorable &&= deletion.restorable;
      gone.push(row);
    }
  } finally {
    tell();
  }
}

async function restoreAll(app: App, rows: readonly LoopRow[]): Promise<void> {
  try {
    for (const { key } of rows) await app.host.restoreDeleted(key);
    app.notices.tellUndone();
  } catch (reason) {
    const failure = asFailure(reason);
    app.notices.tell(sentences(failureText(failure), failureHint(failure)));
  }
}
