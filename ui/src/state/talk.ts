import type { LoopRow } from "../host/bindings";

/** What an agent's output changes in a row, several times a second. */
function withoutTalk(row: LoopRow): string {
  const { run } = row;
  if (!run) return JSON.stringify(row);
  const quiet = { ...run, workers: [], last_output: null, cost_usd: null, tokens: null };
  return JSON.stringify({ ...row, run: quiet });
}

/** Whether agents said something between two rows of a loop, and nothing else happened. */
export function onlyTalk(before: LoopRow, now: LoopRow): boolean {
  return JSON.stringify(before.run) !== JSON.stringify(now.run) && withoutTalk(before) === withoutTalk(now);
}
