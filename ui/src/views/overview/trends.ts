import type { ActionTime, TrendDay, TrendSum } from "../../host/bindings";
import { costText, duration, integer, percent } from "../../words/format";
import { say, t } from "../../words/language.svelte";
import { actionText } from "../loop/output/phrases";

export const TREND_PERIODS = ["7", "30", "90"] as const;
export type TrendPeriod = (typeof TREND_PERIODS)[number];

/** The midnights of the last days where the person is, and the one to come. Days have 23 to 25 hours. */
export function daysBefore(now: number, count: number): { days: number[]; until: number } {
  const midnight = (back: number) => {
    const day = new Date(now);
    return new Date(day.getFullYear(), day.getMonth(), day.getDate() - back).getTime();
  };
  const days = Array.from({ length: count }, (_, index) => midnight(count - 1 - index));
  return { days, until: midnight(-1) };
}

/** A point of a chart: nothing where there is nothing to say. */
export interface ChartPoint {
  readonly at: number;
  readonly value: number | null;
  readonly text: string;
}

export type Metric = "success" | "iterations" | "pass_rate" | "cost";

/** Each metric of a sum, as a number and in words. */
export const METRICS: Readonly<
  Record<
    Metric,
    { value(sum: TrendSum): number | null; text(sum: TrendSum): string; axis(value: number): string }
  >
> = {
  success: {
    value: ({ ended, succeeded }) => (ended > 0 ? (100 * succeeded) / ended : null),
    text: ({ ended, succeeded }) => say(t.trends.ofEnded, { succeeded, count: ended }),
    axis: (value) => percent(value),
  },
  iterations: {
    value: ({ iterations }) => iterations,
    text: ({ iterations }) => (iterations === null ? "–" : decimal(iterations)),
    axis: (value) => decimal(value),
  },
  pass_rate: {
    value: ({ tests_passed, tests_total }) => (tests_total > 0 ? (100 * tests_passed) / tests_total : null),
    text: ({ tests_passed, tests_total }) => say(t.tests.shown, { shown: tests_passed, count: tests_total }),
    axis: (value) => percent(value),
  },
  cost: {
    value: ({ cost_usd }) => cost_usd,
    text: ({ cost_usd }) => (cost_usd === null ? "–" : costText(cost_usd)),
    axis: (value) => costText(value),
  },
};

/** A median of whole numbers is whole or a half. */
const decimal = (value: number) => (Number.isInteger(value) ? integer(value) : value.toFixed(1));

export function pointsOf(days: readonly TrendDay[], metric: Metric): ChartPoint[] {
  const { value, text } = METRICS[metric];
  return days.map((day) => ({ at: day.at, value: value(day), text: value(day) === null ? "" : text(day) }));
}

/** The end of an axis that begins at nothing: a percentage ends at 100. */
export function axisTop(values: readonly (number | null)[], isPercent: boolean): number {
  if (isPercent) return 100;
  const highest = Math.max(0, ...values.filter((value) => value !== null));
  return highest > 0 ? highest : 1;
}

/** The time of each action of a day, in words. */
export function actionTimes(actions: readonly ActionTime[]): string {
  return actions
    .map(({ action, worked_ms }) =>
      say(t.units.labelled, { name: actionText(action), value: duration(worked_ms) }),
    )
    .join(t.units.listSeparator);
}
