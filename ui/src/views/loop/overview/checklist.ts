import type { Mark } from "../../../components/shapes";
import type {
  CheckEvidence,
  ChecklistRow,
  ChecklistTotal,
  CheckOutcome,
  CheckResult,
  RubricLevel,
} from "../../../host/bindings";
import { inlineCode, joinedParts, plainText } from "../../../state/markdown";
import { integer, percent } from "../../../words/format";
import { fill, say, t } from "../../../words/language.svelte";

/** A row with the rows below it. */
export interface CheckNode {
  readonly row: ChecklistRow;
  readonly below: CheckNode[];
}

/** How a result is drawn. */
export const RESULT_MARKS: Readonly<Record<CheckResult, Mark>> = {
  pass: "passed",
  fail: "failed",
  unknown: "inconclusive",
  none: "pending",
};

/** Who says how a check went. */
export function whoChecked({ by, verdict }: CheckOutcome): string {
  if (by !== "person" || verdict === "unknown") return t.checkedBy[by];
  return verdict === "pass" ? t.verification.confirmed : t.verification.refuted;
}

/** A command that could not run says little about what it was to find out; nothing where it did run. */
export function outcomeWarning({ could_not_run, verdict, exit_code }: CheckOutcome): string | null {
  if (!could_not_run) return null;
  const { passedUnrun, passedKilled, failedUnrun, failedKilled } = t.verification;
  if (exit_code === null) return verdict === "pass" ? passedKilled : failedKilled;
  return fill(verdict === "pass" ? passedUnrun : failedUnrun, { code: exit_code });
}

/** Where a piece of evidence is from, and what it says. */
export function checkEvidence({ kind, name, text }: CheckEvidence): string {
  return fill(t.evidence[kind], { name, text });
}

/** Groups within groups as a tree; a row that is deeper than it can be belongs to the row before it. */
export function treeOf(rows: readonly ChecklistRow[]): CheckNode[] {
  const top: CheckNode[] = [];
  const path: { depth: number; node: CheckNode }[] = [];
  for (const row of rows) {
    const node: CheckNode = { row, below: [] };
    while (path.length > 0 && (path.at(-1)?.depth ?? 0) >= row.depth) path.pop();
    (path.at(-1)?.node.below ?? top).push(node);
    path.push({ depth: row.depth, node });
  }
  return top;
}

/** When a row passes, in plain words. */
export function means(row: ChecklistRow): string {
  if (row.kind === "group" || row.kind === "any_of")
    return row.kind === "group" ? t.field.allOf : t.field.anyOf;
  const type = row.check_type ?? "other";
  if (type === "other") return fill(t.check.unknown, { type: row.type_word ?? "" });
  if (type !== "quality") return t.field.checkKinds[type];
  return row.pass_threshold === null
    ? t.check.qualityNoThreshold
    : fill(t.check.quality, { threshold: integer(row.pass_threshold) });
}

/** “1: Hard to read”. */
export function rubricLevelText({ name, text }: RubricLevel): string {
  return say(t.units.labelled, { name, value: text });
}

/** A share of the score, from 0 to 1, in words. */
export function weightText(weight: number): string {
  return fill(t.check.weight, { percent: percent(weight * 100) });
}

/** The score that a criterion was given, in words; empty without one. */
export function scoreText(score: number | null): string {
  return score === null ? "" : fill(t.checkResult.score, { score: integer(score) });
}

const DEEPEST = 12;

/** The checklist as a list to paste. */
export function checklistMarkdown(
  rows: readonly ChecklistRow[],
  total: ChecklistTotal,
  outcomes: ReadonlyMap<ChecklistRow, CheckOutcome> = new Map(),
): string {
  const lines = rows.flatMap((row) => {
    const indent = "  ".repeat(Math.min(row.depth, DEEPEST));
    const words = [plainText(means(row)), row.value ? inlineCode(row.value) : ""];
    if (row.scope) words.push(plainText(fill(t.check.scope, { scope: row.scope })));
    const outcome = outcomes.get(row);
    const result = outcome?.verdict ?? row.result;
    if (row.kind === "check") words.push(t.checkResult[result]);
    if (outcome) words.push(plainText(outcomeWarning(outcome) ?? whoChecked(outcome)));
    const box = row.kind === "check" ? `${result === "pass" ? "[x]" : "[ ]"} ` : "";
    const name = plainText(row.item) || t.checkResult.legacy;
    const rubric = row.rubric.map(
      (one) =>
        `${indent}  - ${[plainText(one.criterion), weightText(one.weight), scoreText(one.score), plainText(one.description)].filter(Boolean).join(" · ")}` +
        (one.levels.length > 0
          ? ` (${one.levels.map((level) => plainText(rubricLevelText(level))).join(t.units.listSeparator)})`
          : ""),
    );
    const evidence = row.evidence.map((one) => `${indent}  - ${plainText(checkEvidence(one))}`);
    return [`${indent}- ${box}**${name}** · ${words.filter(Boolean).join(" · ")}`, ...rubric, ...evidence];
  });
  return joinedParts(
    `### ${t.compare.part.checklist}`,
    say(t.checkResult.count, { count: total.counts.all }),
    lines.join("\n"),
  );
}
