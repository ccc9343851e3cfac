import type { CoverageFileView, RunView, TestCounts, TestEntry, TestRow } from "../../../host/bindings";
import { fencedCode, inlineCode, joinedParts, plainText, markdownTable } from "../../../state/markdown";
import { absoluteTime, duration, integer, percent } from "../../../words/format";
import { say, sentences, t } from "../../../words/language.svelte";
import { testItem } from "./item";
import { testOutcomeText } from "./line-words";
import { percentOr, signed } from "./rates";

/** One run in a few sentences. */
export function summaryText(runs: readonly RunView[], run: number, counts: TestCounts | null): string {
  const one = runs[run];
  if (!one) return "";
  const said = [
    say(t.tests.summaryPlain, {
      number: run + 1,
      total: runs.length,
      passed: one.passed,
      count: one.total,
      rate: percentOr(one.pass_rate, 1),
      failed: one.failed,
      skipped: one.skipped,
    }),
    one.iteration !== null &&
      one.time?.ms != null &&
      say(t.tests.summaryTime, { iteration: one.iteration, time: absoluteTime(one.time.ms) }),
    one.coverage !== null && say(t.tests.summaryCoverage, { coverage: percent(one.coverage) }),
    counts !== null &&
      run > 0 &&
      say(t.tests.summarySince, { number: run, fixed: counts.fixed, failures: counts.new_failures }),
  ];
  return sentences(...said);
}

/** The failed tests of a run with the first line of what they say. */
export function failedText(
  title: string,
  run: number,
  counts: Pick<TestCounts, "all" | "failed">,
  tests: readonly TestEntry[],
): string {
  const head = say(t.tests.failedTitle, { count: counts.failed, total: counts.all, number: run + 1, title });
  const lines = tests.map((test) => {
    const name = `- ${inlineCode(testItem(test))}`;
    return test.error ? `${name}\n  ${inlineCode(test.error)}` : name;
  });
  const more = counts.failed - tests.length;
  return joinedParts(
    `**${plainText(head)}**`,
    lines.join("\n"),
    more > 0 && say(t.common.andMore, { count: more }),
  );
}

/** One test with all it says. */
export function testText(entry: TestEntry, row: TestRow | null, text: string): string {
  const took = entry.duration_ms === null ? "" : ` · ${duration(entry.duration_ms)}`;
  const head = `**${plainText(testOutcomeText(entry))}** ${inlineCode(testItem(row ?? entry))}${took}`;
  return joinedParts(head, text !== "" && fencedCode(text));
}

/** All runs, newest first. */
export function runsText(runs: readonly RunView[]): string {
  const rows = runs.map((one, at) => {
    const points = one.pass_rate_change;
    return [
      integer(at + 1),
      one.iteration === null ? "–" : integer(one.iteration),
      one.time?.ms == null ? plainText(one.time?.text ?? "–") : absoluteTime(one.time.ms),
      integer(one.total),
      integer(one.passed),
      integer(one.failed),
      integer(one.skipped),
      percentOr(one.pass_rate, 1),
      points === null ? "–" : signed(points),
      percentOr(one.coverage),
    ];
  });
  const head = [
    t.tests.shows.runs,
    t.fact.current_iteration,
    t.common.time,
    t.tests.shows.tests,
    t.word.passed,
    t.word.failed,
    t.word.skipped,
    t.fact.pass_rate,
    "±",
    t.fact.coverage,
  ];
  return `${markdownTable(head, rows.reverse())}\n`;
}

export function coverageForCopy(files: readonly CoverageFileView[]): string {
  const rows = files.map((file) => [
    inlineCode(file.path).replaceAll("|", "\\|"),
    percentOr(file.statements, 1),
    percentOr(file.branches, 1),
    percentOr(file.functions, 1),
    percentOr(file.lines, 1),
  ]);
  const { statements, branches, functions, lines } = t.tests;
  return `${markdownTable([t.fact.file, statements, branches, functions, lines], rows)}\n`;
}
