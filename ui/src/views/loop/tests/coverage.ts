import type { CoverageFileView } from "../../../host/bindings";

export const SHARES = ["statements", "branches", "functions", "lines"] as const;
export type Share = (typeof SHARES)[number];
export type Column = Share | "path";

export interface Order {
  readonly by: Column;
  readonly down: boolean;
}

/** The files whose path contains every word, in order; those that say nothing come last. */
export function coverageOrder(
  files: readonly CoverageFileView[],
  text: string,
  order: Order,
  collator: Intl.Collator,
): CoverageFileView[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const found = files.filter((file) => words.every((word) => file.path.toLowerCase().includes(word)));
  const turn = order.down ? -1 : 1;
  const { by } = order;
  return found.sort((a, b) => {
    const same = collator.compare(a.path, b.path);
    if (by === "path") return turn * same;
    const [one, other] = [a[by], b[by]];
    if (one === null || other === null) return Number(one === null) - Number(other === null) || same;
    return turn * (one - other) || same;
  });
}
