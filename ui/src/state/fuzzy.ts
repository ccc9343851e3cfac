const WORD_START = /[\s\-_/.:·]/;

/**
 * How well a text answers a query: every letter must come in order; letters side by side and at the start of words
 * count more. Null when it does not answer at all.
 */
export function fuzzyScore(query: string, text: string): number | null {
  if (query === "") return 0;
  const wanted = query.toLowerCase();
  const where = text.toLowerCase();
  const whole = where.indexOf(wanted);
  if (whole >= 0) {
    const atWord = whole === 0 || WORD_START.test(where[whole - 1] ?? "");
    // Where it stands matters little beside that it begins a word: labels begin with words of different length.
    return (
      1000 + (atWord ? 500 : 0) + (whole === 0 ? 100 : 0) - Math.min(whole, 400) / 10 - where.length / 100
    );
  }
  let score = 0;
  let at = -1;
  for (const letter of wanted) {
    if (letter === " ") continue;
    const next = where.indexOf(letter, at + 1);
    if (next < 0) return null;
    if (next === at + 1) score += 8;
    else if (next === 0 || WORD_START.test(where[next - 1] ?? "")) score += 5;
    else score -= Math.min(4, next - at);
    at = next;
  }
  return score - where.length / 100;
}

/** The best answers, best first; equal ones keep their order. */
export function fuzzyBest<T>(
  items: readonly T[],
  query: string,
  textOf: (item: T) => string,
  most: number,
): T[] {
  if (query.trim() === "") return items.slice(0, most);
  return items
    .map((item) => ({ item, score: fuzzyScore(query.trim(), textOf(item)) }))
    .filter((one): one is { item: T; score: number } => one.score !== null)
    .sort((a, b) => b.score - a.score)
    .slice(0, most)
    .map((one) => one.item);
}
