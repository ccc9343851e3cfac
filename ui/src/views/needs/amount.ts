import type { IterationBar, Need, NeedAnswer, RunPlan } from "../../host/bindings";

/** What is used up and can be extended. */
export type Extent = "iterations" | "minutes" | "money" | "tokens" | "turns";

export interface Range {
  readonly least: number;
  readonly most: number;
  readonly step: number | "any";
}

const RANGES: Readonly<Record<Extent, Range>> = {
  iterations: { least: 1, most: 100, step: 1 },
  minutes: { least: 1, most: 43_200, step: 1 },
  money: { least: 0.01, most: 10_000, step: "any" },
  tokens: { least: 1, most: 4_000_000_000, step: 1 },
  turns: { least: 1, most: 10_000, step: 1 },
};

/** What the person adds to; nothing where it cannot be added to: then the new start is all there is. */
export function extentOf(need: Need): Extent | null {
  const limit = Object.hasOwn(need.args, "limit") ? need.args.limit : "";
  if (limit === "iterations") return "iterations";
  if (limit === "time") return "minutes";
  return limit === "money" || limit === "tokens" || limit === "turns" ? limit : null;
}

/** How much may be added; a limit of iterations ends at 100 altogether. */
export function rangeOf(extent: Extent, bar: IterationBar | null): Range {
  const range = RANGES[extent];
  if (extent !== "iterations" || !bar || !Number.isFinite(bar.limit)) return range;
  return { ...range, most: Math.max(1, range.most - Math.max(0, Math.trunc(bar.limit))) };
}

/** Half as many iterations again; twice the turns; as much of everything else as the last start had. */
export function proposed(extent: Extent, bar: IterationBar | null, plan: RunPlan | null): number {
  if (extent === "minutes") return plan?.minutes ?? 60;
  if (extent === "money") return plan?.money_usd ?? 5;
  if (extent === "tokens") return plan?.tokens ?? 1_000_000;
  if (extent === "turns") return Math.min(RANGES.turns.most, 2 * (plan?.turns ?? 25));
  const half = Math.round((bar?.limit ?? 10) / 2);
  const { most } = rangeOf(extent, bar);
  return Math.min(most, Math.max(1, Number.isFinite(half) ? half : 5));
}

export function fits(amount: number | null, extent: Extent, { least, most }: Range): boolean {
  if (amount === null || !Number.isFinite(amount) || amount < least || amount > most) return false;
  return extent === "money" || Number.isInteger(amount);
}

export function extension(extent: Extent | null, amount: number | null): NeedAnswer {
  return {
    answer: "extend",
    iterations: extent === "iterations" ? amount : null,
    minutes: extent === "minutes" ? amount : null,
    money_usd: extent === "money" ? amount : null,
    tokens: extent === "tokens" ? amount : null,
    turns: extent === "turns" ? amount : null,
  };
}
