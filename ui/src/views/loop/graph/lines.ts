/** Breaks text into lines, as a page would: between words, and inside of words only when nothing else helps. */

import type { Measure } from "./measure";

const segmenters = new Map<string, Intl.Segmenter>();

function wordsOf(text: string, language: string): string[] {
  let made = segmenters.get(language);
  if (!made) {
    made = new Intl.Segmenter(language, { granularity: "word" });
    segmenters.set(language, made);
  }
  return [...made.segment(text)].map(({ segment }) => segment);
}

function cut(text: string, width: number, measure: Measure): number {
  let [low, high] = [0, text.length];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (measure(text.slice(0, middle)) <= width) low = middle;
    else high = middle - 1;
  }
  // Half of a sign is none.
  return /[\ud800-\udbff]$/.test(text.slice(0, low)) ? low - 1 : low;
}

/** One line, with an ellipsis where it is too long. */
export function clipped(text: string, width: number, measure: Measure): string {
  if (measure(text) <= width) return text;
  return `${text.slice(0, cut(text, width - measure("…"), measure)).trimEnd()}…`;
}

/** At most `count` lines, the last one with an ellipsis when there is more. Very long texts are not looked at whole. */
export function wrappedLines(
  text: string,
  count: number,
  width: number,
  measure: Measure,
  language: string,
): string[] {
  const words = wordsOf(text.slice(0, 400).replace(/\s+/g, " ").trim(), language);
  const lines: string[] = [];
  let line = "";
  while (words.length > 0 && lines.length < count) {
    const next = words[0] as string;
    if (measure(line + next) <= width) {
      line += next;
      words.shift();
    } else if (lines.length === count - 1) {
      lines.push(clipped(line + words.join(""), width, measure));
      return lines;
    } else if (line.trim() === "") {
      const at = Math.max(1, cut(next, width, measure));
      lines.push(next.slice(0, at));
      words[0] = next.slice(at);
      line = "";
    } else {
      lines.push(line.trim());
      line = "";
      if (next.trim() === "") words.shift();
    }
  }
  if (line.trim() !== "" && lines.length < count) lines.push(line.trim());
  return lines;
}
