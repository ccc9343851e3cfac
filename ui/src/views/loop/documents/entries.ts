/** One line of a log: an object of JSON, or a line that is none. */
export interface LogEntry {
  /** 1-based. */
  readonly line: number;
  readonly raw: string;
  /** Null when the line is no JSON object. */
  readonly fields: Readonly<Record<string, unknown>> | null;
}

/** So many columns; further fields stand in the last one. */
const MOST_COLUMNS = 6;
const SAMPLE = 300;

export function entryOf(raw: string, line: number): LogEntry {
  if (!raw.trimStart().startsWith("{")) return { line, raw, fields: null };
  try {
    return { line, raw, fields: JSON.parse(raw) as Record<string, unknown> };
  } catch {
    return { line, raw, fields: null };
  }
}

/** The names of the fields most entries have, in their order. */
export function logColumns(entries: readonly LogEntry[]): string[] {
  const counts = new Map<string, number>();
  for (const entry of entries.slice(0, SAMPLE)) {
    for (const name of Object.keys(entry.fields ?? {})) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const common = [...counts].sort((left, right) => right[1] - left[1]).slice(0, MOST_COLUMNS);
  const names = new Set(common.map(([name]) => name));
  return [...counts.keys()].filter((name) => names.has(name));
}

/** A value as text, shortest form. */
export function valueText(value: unknown): string {
  if (value === undefined || value === null) return "";
  if (typeof value === "string") return value;
  if (Array.isArray(value) && value.every((one) => typeof one === "string")) return value.join(", ");
  return JSON.stringify(value);
}

/** Milliseconds since 1970, for a number in a field that is called a time. */
export function timeOf(name: string, value: unknown): number | null {
  const isTime = /^(ts|time|timestamp)$/i.test(name);
  return isTime && typeof value === "number" && value > 1e11 && value < 1e14 ? value : null;
}

/** What an entry has beyond the columns, as JSON text. */
export function otherFields(entry: LogEntry, columns: readonly string[]): string {
  const rest = Object.entries(entry.fields ?? {}).filter(([name]) => !columns.includes(name));
  return rest.length === 0 ? "" : JSON.stringify(Object.fromEntries(rest));
}

/** The texts of an entry in the order in which they are drawn. */
export function textsOfEntry(entry: LogEntry, columns: readonly string[]): string[] {
  const { fields } = entry;
  if (!fields) return [entry.raw];
  return [...columns.map((name) => valueText(own(fields, name))), otherFields(entry, columns)];
}

/** A field that is the entry's own, never one of every object. */
export function own(fields: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.hasOwn(fields, name) ? fields[name] : undefined;
}

/** A time is drawn as date and time of day; the characters for month and day are two wide. */
const TIME_WIDTH = 18;
const WIDEST = 60;

/** Widths of the columns, in characters, from their content. */
export function widthsOf(entries: readonly LogEntry[], columns: readonly string[]): number[] {
  const some = entries.slice(0, SAMPLE);
  return columns.map((name) => {
    const values = some.map((entry) => own(entry.fields ?? {}, name));
    const widths = values.map((value) =>
      timeOf(name, value) === null ? valueText(value).length : TIME_WIDTH,
    );
    return Math.min(WIDEST, Math.max(name.length, ...widths));
  });
}
