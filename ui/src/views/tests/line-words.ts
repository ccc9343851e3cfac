import type { Outcome, SuiteLine, TestEntry, TestLine } from "../../host/bindings";
import { duration } from "../../words/format";
import { say, t } from "../../words/language.svelte";
import { wordText } from "../../words/phrases";
import { itemOf } from "./item";

export function suiteName(line: Pick<SuiteLine, "suite">): string {
  return line.suite === "" ? t.tests.noSuite : line.suite;
}

/** “2 of 9 fail”, “all 14 pass”. */
export function suiteState({ tests, failed, skipped }: SuiteLine): string {
  if (failed > 0) return say(t.tests.suiteFails, { count: failed, total: tests });
  if (skipped > 0) return say(t.tests.suiteSkips, { count: tests, skipped });
  return say(t.tests.suitePasses, { count: tests });
}

export function outcomeWord(outcome: Outcome): string {
  return outcome === "other" ? t.tests.otherOutcome : t.outcome[outcome];
}

/** How a test ended; a status that nobody defines is shown as written. */
export function outcomeText(test: Pick<TestEntry, "outcome" | "status">): string {
  return (test.outcome === "other" && wordText(test.status)) || outcomeWord(test.outcome);
}

/** Failed runs at the end, this one included; those a test was not part of are passed over. */
export function failingFor(dots: TestEntry["dots"]): number {
  let count = 0;
  for (const dot of dots.toReversed()) {
    if (dot === null) continue;
    if (dot !== "failed") break;
    count += 1;
  }
  return count;
}

/** What became of a test: “new failure”, “failing for 5 runs”. */
export function changeText(test: Pick<TestEntry, "change" | "dots">, run: number): string {
  if (test.change === null) return "";
  const count = failingFor(test.dots);
  if (test.change === "still_failing" && count > 1) return say(t.tests.failingFor, { count });
  if (test.change === "fixed") return say(t.tests.fixedIn, { number: run + 1 });
  return t.testChange[test.change];
}

/** How long a test took, in milliseconds. What was skipped took no time: runners write 0 for it, which is no measurement. */
export function tookOf(line: TestEntry): number | null {
  return line.outcome === "skipped" && line.duration_ms === 0 ? null : line.duration_ms;
}

/** The whole line, as it is read out. */
export function lineName(line: TestLine | undefined, index: number, run: number): string {
  if (!line) return say(t.tests.loadingLine, { number: index + 1 });
  if (line.kind === "suite") {
    const name = say(t.tests.suite, { suite: suiteName(line), count: line.tests });
    return [name, suiteState(line)].join(t.units.listSeparator);
  }
  const took = tookOf(line);
  const said = [
    itemOf(line),
    outcomeText(line),
    took === null ? "" : duration(took),
    changeText(line, run),
    line.error ?? "",
  ];
  return said.filter((part) => part !== "").join(t.units.listSeparator);
}
