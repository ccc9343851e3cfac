import type { ChecklistRow } from "../../host/bindings";
import { code, parts, plain } from "../../state/markdown";
import { integer, percent } from "../../words/format";
import { fill, say, t } from "../../words/language.svelte";
import { known } from "../../words/phrases";

/** What came of a check: passed, not passed, cannot be told; nothing where it was not looked at. */
export type CheckResult = "pass" | "fail" | "unknown";

/** A row with the rows below it. */
export interface CheckNode {
  readonly row: ChecklistRow;
  readonly result: CheckResult | null;
  readonly below: CheckNode[];
}

/** Groups within groups as a tree; a row that is deeper than it can be belongs to the row before it. */
export function treeOf(
  rows: readonly ChecklistRow[],
  results: readonly (CheckResult | null)[] = [],
): CheckNode[] {
  const top: CheckNode[] = [];
  const path: { depth: number; node: CheckNode }[] = [];
  rows.forEach((row, index) => {
    const node: CheckNode = { row, result: results[index] ?? null, below: [] };
    while (path.length > 0 && (path.at(-1)?.depth ?? 0) >= row.depth) path.pop();
    (path.at(-1)?.node.below ?? top).push(node);
    path.push({ depth: row.depth, node });
  });
  return top;
}

/** The older form: one check that stands alone and has no name. */
export function isLegacy(rows: readonly ChecklistRow[]): boolean {
  const [only] = rows;
  return rows.length === 1 && only?.kind === "check" && only.item === "";
}

/** When a row passes, in plain words. */
export function means(row: ChecklistRow): string {
  if (row.kind === "group") return t.check.group;
  if (row.kind === "any_of") return t.check.any_of;
  const type = row.check_type ?? "";
  if (type === "quality") {
    return row.pass_threshold === null
      ? t.check.qualityNoThreshold
      : fill(t.check.quality, { threshold: integer(row.pass_threshold) });
  }
  return known(t.check, type) ?? fill(t.check.unknown, { type });
}

/** A share of the score, from 0 to 1, in words. */
export function weightText(weight: number): string {
  return fill(t.check.weight, { percent: percent(weight * 100) });
}

const DEEPEST = 12;
const BOXES: Readonly<Record<CheckResult, string>> = { pass: "[x]", fail: "[ ]", unknown: "[ ]" };

/** The checklist as a list to paste. */
export function checklistMarkdown(
  rows: readonly ChecklistRow[],
  results: readonly (CheckResult | null)[] = [],
): string {
  const lines = rows.flatMap((row, index) => {
    const result = results[index] ?? null;
    const indent = "  ".repeat(Math.min(row.depth, DEEPEST));
    const words = [plain(means(row)), row.value ? code(row.value) : ""];
    if (row.scope) words.push(plain(fill(t.check.scope, { scope: row.scope })));
    if (row.kind === "check") words.push(t.checkResult[result ?? "none"]);
    const box = row.kind === "check" ? `${result === null ? "[ ]" : BOXES[result]} ` : "";
    const name = plain(row.item) || t.checkResult.legacy;
    const rubric = row.rubric.map(
      (one) =>
        `${indent}  - ${plain(one.criterion)} · ${weightText(one.weight)} · ${plain(one.description)}` +
        (one.levels.length > 0 ? ` (${one.levels.map(plain).join(t.units.listSeparator)})` : ""),
    );
    return [`${indent}- ${box}**${name}** · ${words.filter(Boolean).join(" · ")}`, ...rubric];
  });
  const checks = rows.filter((row) => row.kind === "check").length;
  return parts(`### ${t.overview.checklist}`, say(t.checkResult.count, { count: checks }), lines.join("\n"));
}
