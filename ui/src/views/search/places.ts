import type { SearchHit, TextKind } from "../../host/bindings";
import { STATE_FILE, type Tab } from "../../state/place";
import type { Piece } from "../../state/fuzzy";

/** The part of a loop that shows a text of this kind. */
const TAB: Readonly<Record<TextKind, Tab>> = {
  title: "overview",
  objective: "overview",
  check: "overview",
  task: "work",
  listed_task: "work",
  hypothesis: "debug",
  understanding: "debug",
  test: "tests",
  atom: "work",
  binding: "work",
  decision: "work",
  correction: "work",
  worker: "work",
  finding: "work",
  error: "overview",
  summary: "overview",
  note: "overview",
  document: "files",
  source: "files",
};

/** Where a hit is opened. */
export function placeOf(key: string, hit: SearchHit) {
  return { key, tab: TAB[hit.kind], item: hit.kind === "source" ? STATE_FILE : hit.item, line: hit.line };
}

/** A text cut at its marks. */
export function markedPieces({ text, marks }: Pick<SearchHit, "text" | "marks">): Piece[] {
  const pieces: Piece[] = [];
  let at = 0;
  for (const { start, end } of marks) {
    if (start > at) pieces.push({ text: text.slice(at, start), hit: false });
    pieces.push({ text: text.slice(start, end), hit: true });
    at = end;
  }
  if (at < text.length) pieces.push({ text: text.slice(at), hit: false });
  return pieces;
}
