import type { App } from "./app.svelte";
import type { Cell } from "./catalog.svelte";

/** How much waits for the person. */
export interface Waiting {
  /** Questions, permissions and the like, which have an answer. */
  readonly questions: number;
  /** Other loops that wait: they are worth a look. */
  readonly toCheck: number;
}

/** Loops that ask something; what they need says more than their status. */
function keysThatAsk({ needs }: App): ReadonlySet<string> {
  return new Set(needs.all.map((need) => need.key));
}

export function waitingOf(app: App): Waiting {
  void app.catalog.version;
  let toCheck = app.list.counts.attention;
  for (const key of keysThatAsk(app)) {
    const row = app.catalog.cell(key)?.row;
    if (row && app.list.groupOf(row) === "attention") toCheck -= 1;
  }
  return { questions: app.needs.all.length, toCheck };
}

/** Loops that wait without asking, in the order of the list. */
export function cellsToCheck(app: App): Cell[] {
  const asks = keysThatAsk(app);
  return app.list.cellsIn("attention").filter((cell) => !asks.has(cell.key));
}
