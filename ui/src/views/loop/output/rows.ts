import type { OutputKind, OutputRow } from "../../../host/bindings";
import type { Role, Shape } from "../../../components/shapes";
import { withoutHalf } from "../../../words/cut";
import { asItCame, withoutCodes } from "./ansi";
import { editText } from "./edit";

/** What tools say is folded beyond so many lines. */
const FOLD = 20;
/** What is meant to be read is folded only when it is very long. */
const FOLD_READING = 80;

/** The mark of a row; plain text has none. */
const MARKS: Readonly<Record<OutputKind, readonly [Shape, Role] | null>> = {
  started: ["circle", "active"],
  text: null,
  thinking: null,
  tool_start: ["square-outline", "active"],
  tool_end: ["tick", "success"],
  edit: ["square", "active"],
  stderr: ["octagon", "attention"],
  warning: ["limit", "attention"],
  retry: ["hourglass", "attention"],
  permission: ["speech", "attention"],
  denied: ["cross", "danger"],
  usage: ["gap", "neutral"],
  finished: ["tick", "success"],
  other: ["question", "neutral"],
  note: ["gap", "info"],
};

const FAILED: readonly [Shape, Role] = ["cross", "danger"];

export function markOf(row: Pick<OutputRow, "kind" | "ok">): readonly [Shape, Role] | null {
  return row.ok === false ? FAILED : MARKS[row.kind];
}

/** Whether the row is a sign of life of the agent itself: not a line of ours, not a complaint of its launcher. */
export function isLife(row: Pick<OutputRow, "kind">): boolean {
  return row.kind !== "note" && row.kind !== "stderr";
}

function field(name: string, value: unknown): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.includes("\n") ? `${name}:\n${text}` : `${name}: ${text}`;
}

/** The input of a tool as lines of name and value; as it came where it is no whole object. */
export function inputText(text: string): string {
  if (!text.startsWith("{")) return text;
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== "object" || value === null) return text;
    const lines = Object.entries(value).map(([name, inner]) => field(name, inner));
    return lines.length > 0 ? lines.join("\n") : text;
  } catch {
    return text;
  }
}

const INPUTS: readonly OutputKind[] = ["tool_start", "edit", "permission"];

/** What is shown of a row, colours still in it unless it is raw. */
export function shownText(row: OutputRow, raw: boolean): string {
  const input = () => (row.kind === "edit" ? editText(row.text) : null) ?? inputText(row.text);
  const text = raw ? asItCame(row.text) : INPUTS.includes(row.kind) ? input() : row.text;
  const whole = text.replace(/\n+$/, "");
  return row.cut === null || raw ? whole : withoutHalf(whole);
}

/** The text of a row to copy: as shown, without colours. */
export function copyText(row: OutputRow): string {
  return withoutCodes(shownText(row, false));
}

/** The last line of words in the rows, without colours; empty without any. */
export function newestLine(rows: readonly OutputRow[]): string {
  for (const row of rows.toReversed()) {
    if (row.kind === "note" || row.kind === "usage") continue;
    const text = [withoutCodes(row.name), copyText(row)].filter((part) => part !== "").join(" ");
    const line = text.split("\n").findLast((one) => one.trim() !== "");
    if (line !== undefined) return line.trim();
  }
  return "";
}

const READING: readonly OutputKind[] = ["text", "thinking", "finished"];

export function outputFold(row: Pick<OutputRow, "kind">): number {
  return READING.includes(row.kind) ? FOLD_READING : FOLD;
}

/** Lines of a text, without making them. */
export function countLines(text: string): number {
  let count = 1;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) count += 1;
  return count;
}

/** The first lines of a text. */
export function firstLines(text: string, count: number): string {
  let at = -1;
  for (let line = 0; line < count; line += 1) {
    at = text.indexOf("\n", at + 1);
    if (at < 0) return text;
  }
  return text.slice(0, at);
}

/** How many lines a row takes on screen, as far as that is known without drawing it. */
export function lineCount(row: OutputRow, open: boolean, columns: number): number {
  const all = countLines(row.text.replace(/\n+$/, ""));
  const fold = outputFold(row);
  if (!open && all > fold) return fold + 1;
  const wrapped = Number.isFinite(columns) ? Math.floor(row.text.length / Math.max(20, columns)) : 0;
  return Math.max(all, wrapped) + (row.cut === null ? 0 : 1);
}
