import type { LoopRow, StatusWord, Verb } from "../host/bindings";
import { say, t } from "../words/language.svelte";
import type { App } from "./app.svelte";
import { launches } from "./launching";
import { titlesOf } from "./list-marks";

/** Verbs that are offered for several loops at once; what else a loop can do is asked of it alone. */
export const BULK_VERBS = ["pause", "resume", "stop", "delete"] as const satisfies readonly Verb[];
export type BulkVerb = (typeof BULK_VERBS)[number];

/** Those of the loops that a verb is possible for now. */
export function allowedKeys(rows: readonly LoopRow[], verb: BulkVerb): string[] {
  return rows.filter(({ verbs }) => verbs.includes(verb)).map(({ key }) => key);
}

/** The verbs that take another one back, and the word that a loop has when it can be taken back. */
const BACK: Readonly<
  Record<"pause" | "stop", { word: StatusWord; verbs: readonly ("resume" | "reopen")[] }>
> = {
  pause: { word: "paused", verbs: ["resume"] },
  stop: { word: "stopped", verbs: ["resume", "reopen"] },
};

/** Asks for it in each of the loops, and offers the way back of those that were at work, as soon as it is possible. */
export async function actOnSeveral(
  app: App,
  verb: Exclude<BulkVerb, "delete">,
  keys: readonly string[],
): Promise<void> {
  const rows = keys.flatMap((key) => app.catalog.cell(key)?.row ?? []);
  const taken = await takenRows(
    app,
    rows.map((row) => ({ row, verb })),
  );
  if (verb === "resume" || taken.length === 0) return;
  // What was asked for is not in effect yet, and no loop that rested before is to be set running.
  const worked = taken.filter(({ group }) => group === "active");
  const back = () => worked.flatMap(({ key }) => wayBack(app.catalog.cell(key)?.row, BACK[verb]));
  const undo = async () => {
    const wanted = back();
    if ((await takenRows(app, wanted)).length === wanted.length) app.notices.tellUndone();
  };
  const text = say(t.units.labelled, { name: t.verb[verb], value: titlesOf(taken) });
  app.notices.notify(text, undo, () => undoName(back().length, taken.length));
}

function wayBack(row: LoopRow | undefined, { word, verbs }: (typeof BACK)["stop"]) {
  const verb = row?.word === word ? verbs.find((one) => row.verbs.includes(one)) : undefined;
  return row && verb ? [{ row, verb }] : [];
}

function undoName(count: number, total: number): string | null {
  if (count === 0) return null;
  return count === total ? t.common.undo : say(t.marks.some, { verb: t.common.undo, count, total });
}

/** Agents start as they were run last, and no form opens. What is not possible is said in the row of its loop. Answers with the others. */
async function takenRows(app: App, wanted: readonly { row: LoopRow; verb: Verb }[]): Promise<LoopRow[]> {
  const act = async ({ row, verb }: { row: LoopRow; verb: Verb }): Promise<LoopRow[]> => {
    if (!launches(row, verb) || app.catalog.elsewhere(row))
      return (await app.actions.act(row.key, verb, {})) ? [row] : [];
    const failure = await app.actions.launch(row.key, null, null);
    if (failure) app.notices.fail(row.key, failure);
    return failure ? [] : [row];
  };
  return (await Promise.all(wanted.map(act))).flat();
}
