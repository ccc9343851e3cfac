import type { HypothesisVerdict, HypothesisView } from "../../../host/bindings";
import { fileAndLine } from "./location";

/** The columns of the board in their order, one for each verdict; `other` holds words the format does not define. */
const PLACES: Readonly<Record<HypothesisVerdict, number>> = {
  pending: 0,
  confirmed: 1,
  rejected: 2,
  inconclusive: 3,
  other: 4,
};
export const COLUMNS = (Object.keys(PLACES) as HypothesisVerdict[]).sort((a, b) => PLACES[a] - PLACES[b]);

/** A hypothesis as the board has it. */
export interface Card {
  /** Its id; made unlike all others where a file has an id twice. */
  readonly key: string;
  /** 0-based place by likelihood. */
  readonly at: number;
  readonly of: HypothesisView;
}

export interface Column {
  readonly id: HypothesisVerdict;
  readonly cards: readonly Card[];
}

export function cardsOf(hypotheses: readonly HypothesisView[]): Card[] {
  const taken = new Set<string>();
  return hypotheses.map((of, at) => {
    let key = of.id;
    for (let again = 2; taken.has(key); again += 1) key = `${of.id} (${again})`;
    taken.add(key);
    return { key, at, of };
  });
}

/** Cards whose id, claim or location hold every word of the text. */
export function findCard(cards: readonly Card[], text: string): Card[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return [...cards];
  return cards.filter(({ of }) => {
    const short = of.place ? fileAndLine(of.place) : "";
    const within = `${of.id}\n${of.description}\n${of.logging_point}\n${short}`.toLowerCase();
    return words.every((word) => within.includes(word));
  });
}

/** A column for each verdict that has cards; the counts of the others are on the chips. */
export function boardColumns(cards: readonly Card[], chosen: readonly HypothesisVerdict[]): Column[] {
  return COLUMNS.filter((id) => chosen.length === 0 || chosen.includes(id))
    .map((id) => ({ id, cards: cards.filter(({ of }) => of.verdict === id) }))
    .filter((column) => column.cards.length > 0);
}

/** How many columns are next to each other in a width; those below are filled evenly. */
export function lanesIn(width: number, columns: number): number {
  const [NARROWEST, GAP] = [212, 12];
  if (width <= 0 || columns === 0) return Math.max(1, columns);
  const fitting = Math.max(1, Math.min(columns, Math.floor((width + GAP) / (NARROWEST + GAP))));
  return Math.ceil(columns / Math.ceil(columns / fitting));
}
