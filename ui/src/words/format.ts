import type { TimeView } from "../host/bindings";
import { fill, language, say, t } from "./language.svelte";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** Clocks of two machines differ a little; only more than this is “in the future”. */
const TOLERATED_AHEAD = MINUTE;

const formatters = new Map<string, Intl.DateTimeFormat>();

function dateFormat(name: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const { locale } = language;
  const id = `${locale}/${name}`;
  let made = formatters.get(id);
  if (!made) {
    made = new Intl.DateTimeFormat(locale, options);
    // Two digits keep columns of times in line, but 02:05 PM is not written.
    if (made.resolvedOptions().hour12)
      made = new Intl.DateTimeFormat(locale, { ...options, hour: "numeric" });
    formatters.set(id, made);
  }
  return made;
}

function printable(ms: number): boolean {
  return Number.isFinite(ms) && Math.abs(ms) <= 8.64e15;
}

export function clockTime(ms: number): string {
  if (!printable(ms)) return "–";
  return dateFormat("clock", { hour: "2-digit", minute: "2-digit" }).format(ms);
}

/** The exact time with its zone, for hover, focus and copies. */
export function absoluteTime(ms: number): string {
  if (!printable(ms)) return "–";
  return dateFormat("full", {
    year: "numeric",
    month: "short",
    day: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    timeZoneName: "short",
  }).format(ms);
}

/** The time of day, where the day is given above; with seconds only where a time beside it is of the same minute. */
export function timeOfDay(ms: number, ...beside: readonly (number | null | undefined)[]): string {
  if (!printable(ms)) return "–";
  const minute = Math.floor(ms / MINUTE);
  if (!beside.some((other) => other != null && Math.floor(other / MINUTE) === minute)) return clockTime(ms);
  return dateFormat("second", { hour: "2-digit", minute: "2-digit", second: "2-digit" }).format(ms);
}

/** The same with the date unless it is today. */
export function moment(ms: number, now: number, ...beside: readonly (number | null | undefined)[]): string {
  const time = timeOfDay(ms, ...beside);
  const isToday = new Date(ms).toDateString() === new Date(now).toDateString();
  return isToday || !printable(ms) ? time : `${shortDate(ms, now)} ${time}`;
}

/** A day in as few letters as tell it. */
export function shortDate(ms: number, now: number): string {
  if (!printable(ms)) return "–";
  const sameYear = new Date(ms).getFullYear() === new Date(now).getFullYear();
  return sameYear
    ? dateFormat("day", { month: "short", day: "numeric" }).format(ms)
    : dateFormat("year", { year: "numeric", month: "short", day: "numeric" }).format(ms);
}

/** A day by its name and date, for headings. */
export function shortDay(ms: number): string {
  if (!printable(ms)) return "–";
  return dateFormat("weekday", { weekday: "long", year: "numeric", month: "short", day: "numeric" }).format(
    ms,
  );
}

/** The same for what happened lately: without the year while it is this one. */
export function dayName(ms: number, now: number): string {
  if (!printable(ms)) return "–";
  if (new Date(ms).getFullYear() !== new Date(now).getFullYear()) return shortDay(ms);
  return dateFormat("day-name", { weekday: "long", month: "long", day: "numeric" }).format(ms);
}

/** “12 s ago”, “3 h ago”, then the date. */
export function relativeTime(ms: number, now: number): string {
  if (!printable(ms)) return "–";
  const age = now - ms;
  if (age < -TOLERATED_AHEAD) return absoluteTime(ms);
  if (age < SECOND) return t.units.now;
  if (age < MINUTE) return fill(t.units.secondsAgo, { count: Math.floor(age / SECOND) });
  if (age < HOUR) return fill(t.units.minutesAgo, { count: Math.floor(age / MINUTE) });
  if (age < DAY) return fill(t.units.hoursAgo, { count: Math.floor(age / HOUR) });
  return shortDate(ms, now);
}

/** Rows of a list count young ages in steps, so that a busy list does not tick every second. */
const STEP = 5 * SECOND;

/** The same for a narrow column: “15 s”, “3 h”, then the date. */
export function shortAge(ms: number, now: number): string {
  if (!printable(ms)) return "–";
  const age = now - ms;
  if (age < -TOLERATED_AHEAD) return shortDate(ms, now);
  if (age < STEP) return t.units.now;
  if (age < MINUTE) return fill(t.units.seconds, { count: (Math.floor(age / STEP) * STEP) / SECOND });
  if (age < HOUR) return fill(t.units.shortMinutes, { count: Math.floor(age / MINUTE) });
  if (age < DAY) return fill(t.units.shortHours, { count: Math.floor(age / HOUR) });
  return shortDate(ms, now);
}

/** What follows a time of the file: the exact time, and how it was corrected. */
export function fullTime(time: TimeView): string {
  if (time.ms === null) return fill(t.units.unreadableTime, { text: time.text });
  const shown = absoluteTime(time.ms);
  return time.shifted ? fill(t.units.correctedTime, { time: shown, text: time.text }) : shown;
}

export function duration(ms: number): string {
  if (!Number.isFinite(ms)) return "–";
  // The unit is that of the rounded figure: 59.6 s are a minute, not 60 s.
  const rounded = (unit: number) => Math.abs(Math.round(ms / unit)) * unit;
  if (rounded(1) < SECOND) return fill(t.units.milliseconds, { count: Math.round(ms) });
  if (rounded(100) < 10 * SECOND) return fill(t.units.seconds, { count: Math.round(ms / 100) / 10 });
  if (rounded(SECOND) < MINUTE) return fill(t.units.seconds, { count: Math.round(ms / SECOND) });
  if (Math.abs(ms) < HOUR) {
    const minutes = Math.sign(ms) * Math.max(1, Math.trunc(Math.abs(ms) / MINUTE));
    const seconds = Math.max(0, Math.trunc((Math.abs(ms) - Math.abs(minutes) * MINUTE) / SECOND));
    return fill(t.units.minutesSeconds, { minutes, seconds });
  }
  const minutes = String(Math.trunc((Math.abs(ms) % HOUR) / MINUTE)).padStart(2, "0");
  return fill(t.units.hoursMinutes, { hours: Math.trunc(ms / HOUR), minutes });
}

export function bytes(count: number): string {
  if (count < 1000) return `${integer(count)} B`;
  if (count < 999_950) return `${integer(Math.round(count / 100) / 10)} kB`;
  return `${integer(Math.round(count / 100_000) / 10)} MB`;
}

/** A share of 100, without decimals unless asked. */
/** What is not whole is not rounded to 100 %: one test of thousands may have failed. */
export function percent(value: number, decimals = 0): string {
  const step = 10 ** decimals;
  const whole = value < 100 && Math.round(value * step) >= 100 * step;
  return new Intl.NumberFormat(language.locale, {
    style: "percent",
    minimumFractionDigits: decimals,
    maximumFractionDigits: decimals,
  }).format(whole ? 1 - 1 / (100 * step) : value / 100);
}

/** “7 days”. */
export function dayCount(count: number): string {
  const unit = { style: "unit", unit: "day", unitDisplay: "long" } as const;
  return new Intl.NumberFormat(language.locale, unit).format(count);
}

export function integer(value: number): string {
  return language.integer.format(value);
}

/** A long path with its middle left out; the whole of it belongs in a title. */
export function shortPath(path: string, limit = 48): string {
  const letters = [...path];
  if (letters.length <= limit) return path;
  const head = Math.floor((limit - 1) / 2);
  return `${letters.slice(0, head).join("")}…${letters.slice(letters.length - (limit - 1 - head)).join("")}`;
}

/** “12.4 k tokens”, or that none were reported. */
export function tokensText(tokens: number | null): string {
  if (tokens === null || !Number.isFinite(tokens)) return t.runControl.tokensNot;
  const short = (by: number) => Math.round((tokens / by) * 10) / 10;
  if (tokens >= 999_950) return say(t.runControl.tokensMillion, { count: short(1_000_000) });
  if (tokens >= 1_000) return say(t.runControl.tokensThousand, { count: short(1_000) });
  return say(t.report.tokens, { count: tokens });
}

/** The exact figure, for hover; nothing where none was reported. */
export function exactTokens(tokens: number | null): string | undefined {
  return tokens === null ? undefined : say(t.report.tokens, { count: tokens });
}

/** “2.10 USD”, or that none was reported. */
export function costText(cost: number | null): string {
  if (cost === null || !Number.isFinite(cost)) return t.runControl.costNot;
  if (cost > 0 && cost < 0.01) return `< ${integer(0.01)} USD`;
  const amount = new Intl.NumberFormat(language.locale, {
    minimumFractionDigits: 2,
    maximumFractionDigits: 2,
  });
  return `${amount.format(cost)} USD`;
}
