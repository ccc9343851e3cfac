/** Markdown to paste into a chat. Text from files stays text: nothing in it becomes markup. */

/** One line of plain text. */
export function plainText(text: string): string {
  return text
    .replace(/\s+/g, " ")
    .trim()
    .replace(/[\\`*_{}[\]<>#|~!]/g, (sign) => `\\${sign}`);
}

/** Text in monospace, however many backticks it holds. */
export function inlineCode(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  if (line === "") return "";
  const longest = Math.max(0, ...(line.match(/`+/g) ?? []).map((run) => run.length));
  const fence = "`".repeat(longest + 1);
  const pad = line.startsWith("`") || line.endsWith("`") ? " " : "";
  return `${fence}${pad}${line}${pad}${fence}`;
}

/** A block of text as it is. */
export function fencedCode(text: string, language = ""): string {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map((run) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${text.replace(/\n+$/, "")}\n${fence}`;
}

/** A table; cells are Markdown already. */
export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}

/** Parts with an empty line between them; empty ones are left out. */
export function joinedParts(...all: readonly (string | false | null | undefined)[]): string {
  return all.filter((part): part is string => typeof part === "string" && part !== "").join("\n\n") + "\n";
}
