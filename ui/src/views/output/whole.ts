/** A line of text is cut into pieces of so many letters: no piece may be too wide to be drawn. */
const WIDEST = 2_000;

/** Text as lines that can be drawn one by one. */
export function drawableLines(text: string, widest = WIDEST): string[] {
  return text.split("\n").flatMap((line) => {
    if (line.length <= widest) return [line];
    return Array.from({ length: Math.ceil(line.length / widest) }, (_, at) =>
      line.slice(at * widest, (at + 1) * widest),
    );
  });
}
