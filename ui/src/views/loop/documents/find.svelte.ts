import { getContext, setContext } from "svelte";

/** Where something was found: in which line, section or entry, and the how-manieth place in it. */
export interface Hit {
  readonly unit: number;
  readonly nth: number;
}

/** More places than this are of no use. */
export const MOST_HITS = 5_000;

/** Where `query` begins in `text`, whatever the case; places do not overlap. */
export function matchPlaces(text: string, query: string): number[] {
  if (query === "") return [];
  const small = text.toLowerCase();
  // Some letters change their length with their case: then places would be wrong, and the case matters.
  const [where, what] = small.length === text.length ? [small, query.toLowerCase()] : [text, query];
  const found: number[] = [];
  for (let at = where.indexOf(what); at >= 0; at = where.indexOf(what, at + what.length)) found.push(at);
  return found;
}

/** The places of a text in units of it. */
export function hitsIn(units: number, textsOf: (unit: number) => readonly string[], query: string): Hit[] {
  const hits: Hit[] = [];
  if (query === "") return hits;
  for (let unit = 0; unit < units && hits.length < MOST_HITS; unit += 1) {
    const count = textsOf(unit).reduce((sum, text) => sum + matchPlaces(text, query).length, 0);
    for (let nth = 0; nth < count; nth += 1) hits.push({ unit, nth });
  }
  return hits;
}

/** Text cut at the places of a query. */
export function piecesOf(text: string, query: string): { readonly text: string; readonly hit: boolean }[] {
  const pieces: { text: string; hit: boolean }[] = [];
  let at = 0;
  for (const place of matchPlaces(text, query)) {
    if (place > at) pieces.push({ text: text.slice(at, place), hit: false });
    pieces.push({ text: text.slice(place, place + query.length), hit: true });
    at = place + query.length;
  }
  if (at < text.length) pieces.push({ text: text.slice(at), hit: false });
  return pieces;
}

/** Looking for words in what a view shows. */
export class Find {
  open = $state(false);
  query = $state("");
  at = $state(0);
  hits: readonly Hit[] = $state.raw([]);
  /** Why nothing can be said about what is found: its text could not be read, or is too long. */
  wrong: string | null = $state.raw(null);

  readonly #present = $derived(this.hits[Math.min(this.at, this.hits.length - 1)]);
  readonly #unit = $derived(this.#present?.unit ?? null);
  readonly #nth = $derived(this.#present?.nth ?? 0);
  /** The place that is shown. It stays the same object while only the text around it changes, so that a reader is not moved. */
  readonly hit: Hit | null = $derived(this.#unit === null ? null : { unit: this.#unit, nth: this.#nth });
  /** What is marked: nothing while the search is closed. */
  readonly marked = $derived(this.open ? this.query : "");

  step(by: number): void {
    if (this.hits.length > 0) this.at = (this.at + by + this.hits.length) % this.hits.length;
  }
}

const FIND = Symbol("find");

export function provideFind(find: Find): Find {
  return setContext(FIND, find);
}

/** Null where nothing is looked for. */
export function useFind(): Find | null {
  return getContext<Find | undefined>(FIND) ?? null;
}
