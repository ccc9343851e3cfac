import type { RowOutcome, SuiteLine, TestEntry, TestLine } from "../../../host/bindings";
import { duration } from "../../../words/format";
import { say, t } from "../../../words/language.svelte";
import { wordText } from "../../../words/phrases";
import { testItem } from "./item";

export function suiteName(line: Pick<SuiteLine, "suite">): string {
  return line.suite === "" ? t.tests.noSuite : line.suite;
}

/** “2 of 9 failed”, “14 passed”. */
export function suiteState({ tests, failed, skipped }: SuiteLine): string {
  if (failed > 0) return say(t.tests.suiteFails, { count: failed, total: tests });
  if (skipped > 0) return say(t.tests.suiteSkips, { count: tests, skipped });
  return say(t.checkResult.counts.pass, { count: tests });
}

export function outcomeWord(outcome: RowOutcome): string {
  return outcome === "other" ? t.outputKind.other : wordText(outcome);
}

/** How a test ended; an undefined status is shown as written. */
export function testOutcomeText({ outcome, own_word }: Pick<TestEntry, "outcome" | "own_word">): string {
  return (outcome === "other" && own_word) || outcomeWord(outcome);
}

/** What became of a test: “new failure”, “failing for 5 runs”. */
export function changeText(test: Pick<TestEntry, "change" | "failing_for">, run: number): string {
  if (test.change === null) return "";
  const count = test.failing_for;
  if (test.change === "still_failing" && count > 1) return say(t.tests.failingFor, { count });
  if (test.change === "fixed") return say(t.tests.fixedIn, { number: run + 1 });
  return t.testChange[test.change];
}

/** The whole line, as it is read out. */
export function lineName(line: TestLine | undefined, run: number): string {
  if (!line) return t.app.loading;
  if (line.kind === "suite") {
    const tests = say(t.tests.shownAll, { count: line.tests });
    return [suiteName(line), tests, suiteState(line)].join(t.units.listSeparator);
  }
  const said = [
    testItem(line),
    testOutcomeText(line),
    line.duration_ms === null ? "" : duration(line.duration_ms),
    changeText(line, run),
    line.error ?? "",
  ];
  return said.filter((part) => part !== "").join(t.units.listSeparator);
}
