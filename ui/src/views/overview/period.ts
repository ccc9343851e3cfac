/** Which changes a report is about. */
export const PERIODS = ["always", "today", "week", "month"] as const;
export type Period = (typeof PERIODS)[number];

const DAY = 86_400_000;

/** When the period began, in ms since 1970; a day begins at midnight where the person is. */
export function sinceOf(period: Period, now: number): number | null {
  if (period === "always") return null;
  if (period === "today") return new Date(now).setHours(0, 0, 0, 0);
  return now - (period === "week" ? 7 : 30) * DAY;
}
