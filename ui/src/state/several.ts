import type { LoopRow, Verb } from "../host/bindings";
import type { App } from "./app.svelte";
import { launches } from "./launching";

/** Verbs that are offered for several loops at once; what else a loop can do is asked of it alone. */
export const BULK_VERBS = ["pause", "resume", "stop", "delete"] as const satisfies readonly Verb[];
export type BulkVerb = (typeof BULK_VERBS)[number];

/** Those of the loops that a verb is possible for now. */
export function allowedKeys(rows: readonly LoopRow[], verb: BulkVerb): string[] {
  return rows.filter(({ verbs }) => verbs.includes(verb)).map(({ key }) => key);
}

/** Does it with each of them: agents start as they were run last, and no form opens. What is not possible is said in the row of its loop. */
export async function actOnSeveral(
  app: App,
  verb: Exclude<BulkVerb, "delete">,
  keys: readonly string[],
): Promise<void> {
  const act = async (key: string) => {
    const row = app.catalog.cell(key)?.row;
    if (!launches(row, verb) || app.catalog.elsewhere(row))
      return void (await app.actions.act(key, verb, {}));
    const failure = await app.actions.launch(key, null, null);
    if (failure) app.notices.fail(key, failure);
  };
  await Promise.all(keys.map(act));
}
