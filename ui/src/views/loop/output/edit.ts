import { lineDifferences, oneColumn, splitLines } from "../../../state/line-diff";
import { withoutCodes } from "./ansi";

const [REMOVED, ADDED, PLAIN] = ["\u001b[31m- ", "\u001b[32m+ ", "\u001b[0m"];

type Fields = Readonly<Record<string, unknown>>;

const textOf = (fields: Fields, ...names: readonly string[]): string | null => {
  const value = names.map((name) => fields[name]).find((one) => typeof one === "string");
  return typeof value === "string" ? value : null;
};

/** Both versions as one column: what goes, what comes, what stays. */
function diffOf(before: string, after: string): string[] {
  const [left, right] = [before, after].map((text) => splitLines(withoutCodes(text))) as [string[], string[]];
  const found = lineDifferences(left, right) ?? [
    { leftFrom: 0, leftTo: left.length, rightFrom: 0, rightTo: right.length },
  ];
  return oneColumn(left.length, found).map((row) => {
    if (!row.differs) return `  ${left[row.left ?? 0] ?? ""}`;
    const line = row.left === null ? ADDED + (right[row.right ?? 0] ?? "") : REMOVED + (left[row.left] ?? "");
    return line + PLAIN;
  });
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function parsed(input: string): Fields | null {
  if (!input.startsWith("{")) return null;
  try {
    const value: unknown = JSON.parse(input);
    return isFields(value) ? value : null;
  } catch {
    return null;
  }
}

/**
 * The input of a tool that edits a file as a diff below the file's name, with the colours of a terminal; nothing for
 * an input that names no two versions.
 */
export function editText(input: string): string | null {
  const fields = parsed(input);
  const file = fields && textOf(fields, "file_path", "path", "filePath");
  if (!fields || file === null) return null;
  const edits = Array.isArray(fields.edits) ? fields.edits.filter(isFields) : [fields];
  const parts = edits.map((edit) => {
    const before = textOf(edit, "old_string", "oldString");
    const after = textOf(edit, "new_string", "newString");
    return before !== null && after !== null ? diffOf(before, after) : null;
  });
  const lines = parts.flatMap((part) => part ?? []);
  return parts.includes(null) || lines.length === 0 ? null : [withoutCodes(file), ...lines].join("\n");
}
