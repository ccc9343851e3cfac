import type { Overview } from "../../host/bindings";
import { relativeTime } from "../../words/format";
import { say, t } from "../../words/language.svelte";
import { clock } from "../../state/clock.svelte";

/** How many loops there are of what, the most urgent first; nothing is said of what there is none of. */
export function topLine({ totals, visited, sections }: Overview): [kind: string, text: string][] {
  const since = visited !== null;
  const number = (kind: string) => sections.find((section) => section.kind === kind)?.total ?? 0;
  const failed = since ? totals.failed_since : number("failed");
  const finished = since ? totals.finished_since : number("finished");
  const line: [string, number, string][] = [
    ["needs_person", totals.needs_person, needsText(totals.needs_person, totals.oldest_need)],
    ["failed", failed, say(since ? t.overviewPage.failedSince : t.common.failedCount, { count: failed })],
    ["running", totals.running, say(t.overviewPage.running, { count: totals.running })],
    [
      "finished",
      finished,
      say(since ? t.overviewPage.finishedSince : t.overviewPage.finished, { count: finished }),
    ],
  ];
  return line.filter(([, count]) => count > 0).map(([kind, , text]) => [kind, text]);
}

function needsText(count: number, oldest: number | null): string {
  const need = say(t.common.needYou, { count });
  if (oldest === null) return need;
  const time = relativeTime(oldest, clock.for(oldest));
  return `${need} · ${say(t.overviewPage.needsPersonOldest, { time })}`;
}
