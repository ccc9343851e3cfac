import type { RunView } from "../../host/bindings";
import { language } from "../../words/language.svelte";

/** A percentage that can be drawn; files may hold anything. */
export function share(value: number | null): number | null {
  return value !== null && value >= 0 && value <= 100 ? value : null;
}

/** As the run says, or from its figures. */
export function rateOf(run: RunView): number | null {
  return share(run.pass_rate ?? (run.total > 0 ? (run.passed / run.total) * 100 : null));
}

/** What became of a percentage, in points with one decimal; null when one of them is not known. */
export function pointsBetween(before: number | null | undefined, now: number | null): number | null {
  if (before === null || before === undefined || now === null) return null;
  return Math.round((now - before) * 10) / 10;
}

/** “+3”, “−1.5”, “0”. */
export function signed(points: number): string {
  return new Intl.NumberFormat(language.id, {
    signDisplay: "exceptZero",
    maximumFractionDigits: 1,
  }).format(points);
}
