import { percent } from "../../../words/format";
import { language } from "../../../words/language.svelte";

/** “83.3%”, or that it is not known. */
export function percentOr(value: number | null, decimals = 0): string {
  return value === null ? "–" : percent(value, decimals);
}

/** “+3”, “−1.5”, “0”. */
export function signed(points: number): string {
  return new Intl.NumberFormat(language.locale, {
    signDisplay: "exceptZero",
    maximumFractionDigits: 1,
  }).format(points);
}
