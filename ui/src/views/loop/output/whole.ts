import { cutAt } from "../../../words/cut";

/** A line of text is cut into pieces of so many letters: no piece may be too wide to be drawn. */
const WIDEST = 2_000;

/** Text as lines that can be drawn one by one. */
export function drawableLines(text: string, widest = WIDEST): string[] {
  return text.split("\n").flatMap((line) => {
    const pieces: string[] = [];
    let from = 0;
    do {
      const end = cutAt(line, from, widest);
      pieces.push(line.slice(from, end));
      from = end;
    } while (from < line.length);
    return pieces;
  });
}
