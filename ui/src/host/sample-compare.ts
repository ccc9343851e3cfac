import type { ComparedKind, ComparedPart, ComparedRow, LoopDetail, SideBySide } from "./bindings";

interface Thing {
  readonly id: string;
  readonly description: string;
  readonly status: string;
}

function partOf(kind: ComparedKind, left: readonly Thing[], right: readonly Thing[]): ComparedPart {
  const ids = [...new Set([...left, ...right].map(({ id }) => id))];
  const value = (thing: Thing | undefined): ComparedRow["left"] =>
    thing ? { kind: "status", value: { word: thing.status, known: null } } : null;
  const rows = ids.map((id): ComparedRow => {
    const [a, b] = [left, right].map((things) => things.find((one) => one.id === id));
    const text = (a ?? b)?.description ?? "";
    return { name: { kind: "item", name: id }, text, left: value(a), right: value(b) };
  });
  const isEqual = (row: ComparedRow) => JSON.stringify(row.left) === JSON.stringify(row.right);
  const equal = rows.filter(isEqual);
  const different = rows.filter((row) => !isEqual(row));
  return { kind, rows: [...different, ...equal], different: different.length, equal: equal.length };
}

/** Two samples side by side, as the backend would answer; it compares more. */
export function sampleComparison(left: LoopDetail, right: LoopDetail): SideBySide {
  const parts = [
    partOf("hypotheses", left.debug?.hypotheses ?? [], right.debug?.hypotheses ?? []),
    partOf("tasks", left.tasks, right.tasks),
    partOf("atoms", left.atoms, right.atoms),
  ];
  return { parts: parts.filter(({ rows }) => rows.length > 0) };
}
