/** A piece of a long document that is parsed and drawn separately. */
export interface Section {
  readonly key: string;
  /** Index of its first line, and one past its last. */
  readonly first: number;
  readonly end: number;
  /** The opening of a block of code that began in the section before; empty otherwise. */
  readonly opens: string;
  /**
   * The level of its heading among the headings of the document, 1 for the outermost; 0 without
   * one.
   */
  readonly depth: number;
  /** About how tall it will be, in pixels, until it has been drawn. */
  readonly height: number;
}

/** From here on a section ends where a paragraph ends. */
const LONG = 60;
/** It ends here in any case. */
const LONGEST = 300;

const FENCE = /^ {0,3}(`{3,}|~{3,})(.*)$/;
const HEADING = /^ {0,3}(#{1,6})(?:\s|$)/;
/** What continues a list, a table, a quote or code across an empty line. */
const CONTINUES = /^(?:\s|[-*+]\s|\d{1,9}[.)]\s|\||>)/;

/** Whether the line closes a block of code that was opened by `fence`. */
function closes(line: string, fence: string): boolean {
  const found = FENCE.exec(line);
  if (!found) return false;
  const [, run = "", after = ""] = found;
  return (
    run[0] === fence.trim()[0] &&
    run.length >= (/^[`~]+/.exec(fence.trim())?.[0].length ?? 3) &&
    after.trim() === ""
  );
}

function opensFence(line: string): boolean {
  const found = FENCE.exec(line);
  // Backticks behind backticks are code within a line.
  return found !== null && !(found[1]?.startsWith("`") && found[2]?.includes("`"));
}

/** Cuts a document where cutting changes nothing of what is drawn: at headings, between paragraphs. */
export function sectionsOf(lines: readonly string[]): Section[] {
  const found: Section[] = [];
  let first = 0;
  let opens = "";
  let fence = "";
  /** Levels of the headings around, outermost first: writers leave out levels, readers of outlines do not. */
  let around: number[] = [];
  const depthOf = (line: string) => {
    const level = opens === "" ? HEADING.exec(line)?.[1]?.length : undefined;
    if (level === undefined) return 0;
    around = [...around.filter((one) => one < level), level];
    return around.length;
  };
  const cut = (end: number) => {
    if (end > first)
      found.push({
        key: `l${first}`,
        first,
        end,
        opens,
        depth: depthOf(lines[first] ?? ""),
        height: guessedHeight(lines, first, end),
      });
    first = end;
    opens = fence;
  };
  lines.forEach((line, index) => {
    const length = index - first;
    if (length >= LONGEST) cut(index);
    else if (fence === "" && HEADING.test(line)) cut(index);
    else if (
      fence === "" &&
      length >= LONG &&
      lines[index - 1]?.trim() === "" &&
      line !== "" &&
      !CONTINUES.test(line)
    )
      cut(index);
    if (fence !== "") fence = closes(line, fence) ? "" : fence;
    else if (opensFence(line)) fence = line;
  });
  cut(lines.length);
  return found;
}

export function textOfSection(lines: readonly string[], section: Section): string {
  const own = lines.slice(section.first, section.end);
  return (section.opens === "" ? own : [section.opens, ...own]).join("\n");
}

const CHARACTERS_PER_LINE = 90;
const LINE = 22;

function guessedHeight(lines: readonly string[], first: number, end: number): number {
  let height = 8;
  for (let index = first; index < end; index += 1) {
    const length = lines[index]?.length ?? 0;
    height += length === 0 ? 6 : LINE * Math.ceil(length / CHARACTERS_PER_LINE);
  }
  return height;
}
