import { wordPieces, type Piece } from "../../state/fuzzy";
import { cutText } from "../../words/cut";
import { INDEX, type Guide, type GuidePage } from "./guide";

/** A page that has all the words, and a line of it that has most of them. */
export interface FoundPage {
  readonly page: GuidePage;
  readonly title: readonly Piece[];
  readonly line: readonly Piece[];
}

/** How much of a line is shown, and how much of it before the first word. */
const MOST = 140;
const BEFORE = 40;

export const wordsIn = (text: string) => text.toLowerCase().split(/\s+/u).filter(Boolean);

/** The pages that have every word, those first that have one in the title; the index repeats the others, so it is last. */
export function lookInGuide(guide: Guide, text: string): FoundPage[] {
  const words = wordsIn(text);
  if (words.length === 0) return [];
  const found = [...inOrder(guide)].filter((page) => {
    const whole = [page.title, ...page.lines].join("\n").toLowerCase();
    return words.every((word) => whole.includes(word));
  });
  const rank = (page: GuidePage) => (page.name === INDEX ? 1 : -countIn(page.title, words));
  return found
    .sort((a, b) => rank(a) - rank(b))
    .map((page) => ({
      page,
      title: wordPieces(words, page.title),
      line: wordPieces(words, snippet(bestLine(page, words), words)),
    }));
}

function* inOrder(guide: Guide): Generator<GuidePage> {
  for (const { pages } of guide.groups) yield* pages;
  const index = guide.pages.get(INDEX);
  if (index) yield index;
}

function countIn(text: string, words: readonly string[]): number {
  const small = text.toLowerCase();
  return words.filter((word) => small.includes(word)).length;
}

function bestLine(page: GuidePage, words: readonly string[]): string {
  let best = page.lines[0] ?? "";
  for (const line of page.lines) if (countIn(line, words) > countIn(best, words)) best = line;
  return best;
}

/** A line cut so that the first of the words is in it. */
function snippet(line: string, words: readonly string[]): string {
  const small = line.toLowerCase();
  const places = words.map((word) => small.indexOf(word)).filter((at) => at >= 0);
  const first = places.length === 0 ? 0 : Math.min(...places);
  if (first <= BEFORE * 2) return cutText(line, MOST);
  const space = line.lastIndexOf(" ", first - BEFORE);
  const from = first - space < BEFORE * 2 ? space + 1 : first - BEFORE;
  return `…${cutText(line.slice(from), MOST)}`;
}
