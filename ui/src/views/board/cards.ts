import type { CodePlace, HypothesisView } from "../../host/bindings";
import { fileAndLine } from "./location";

/** The columns of the board, in their order; `other` holds words the board has no column for. */
export const COLUMNS = ["pending", "confirmed", "rejected", "inconclusive", "other"] as const;
export type ColumnId = (typeof COLUMNS)[number];

/** A hypothesis as the board has it. */
export interface Card {
  /** Its id; made unlike all others where a file has an id twice. */
  readonly key: string;
  /** 0-based place by likelihood. */
  readonly at: number;
  readonly of: HypothesisView;
  readonly column: ColumnId;
  readonly place: CodePlace | null;
  /** Entries of evidence in the state file. */
  readonly entries: number;
  /** Entries of the log. */
  readonly lines: number;
}

export interface Column {
  readonly id: ColumnId;
  readonly cards: readonly Card[];
}

function columnOf(word: string): ColumnId {
  const known = COLUMNS.find((id) => id === word.trim().toLowerCase());
  return known ?? "other";
}

/** Without evidence of its own a hypothesis is counted by its log: those entries are not counted twice. */
function entriesOf({ evidence, evidence_count }: HypothesisView): number {
  return evidence === null || evidence.trim() === "[]" ? 0 : evidence_count;
}

export function cardsOf(hypotheses: readonly HypothesisView[]): Card[] {
  const taken = new Set<string>();
  return hypotheses.map((of, at) => {
    let key = of.id;
    for (let again = 2; taken.has(key); again += 1) key = `${of.id} (${again})`;
    taken.add(key);
    return {
      key,
      at,
      of,
      column: columnOf(of.status),
      place: of.place,
      entries: entriesOf(of),
      lines: of.log_total,
    };
  });
}

/** Cards whose id, claim or location hold every word of the text. */
export function found(cards: readonly Card[], text: string): Card[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return [...cards];
  return cards.filter(({ of, place }) => {
    const short = place ? fileAndLine(place) : "";
    const within = `${of.id}\n${of.description}\n${of.logging_point}\n${short}`.toLowerCase();
    return words.every((word) => within.includes(word));
  });
}

/** The four verdicts, or those that were chosen; other words only where there are some. */
export function columnsOf(cards: readonly Card[], chosen: readonly ColumnId[]): Column[] {
  return COLUMNS.map((id) => ({ id, cards: cards.filter((card) => card.column === id) })).filter(
    ({ id, cards: inside }) =>
      (chosen.length === 0 || chosen.includes(id)) && (id !== "other" || inside.length > 0),
  );
}

/** How many columns stand beside each other in a width; those below are filled evenly. */
export function lanesIn(width: number, columns: number): number {
  const [NARROWEST, GAP] = [212, 12];
  if (width <= 0 || columns === 0) return Math.max(1, columns);
  const fitting = Math.max(1, Math.min(columns, Math.floor((width + GAP) / (NARROWEST + GAP))));
  return Math.ceil(columns / Math.ceil(columns / fitting));
}
