import { COLUMNS, type Card } from "./cards";

export const SORT_BY = ["rank", "id", "verdict", "claim", "location", "evidence"] as const;
export type SortBy = (typeof SORT_BY)[number];
export interface Sort {
  readonly by: SortBy;
  readonly down: boolean;
}

const missing: Readonly<Record<SortBy, (card: Card) => boolean>> = {
  rank: ({ of }) => of.rank === null,
  id: () => false,
  verdict: () => false,
  claim: ({ of }) => of.description === "",
  location: ({ of }) => of.place === null,
  evidence: () => false,
};

const entriesOf = ({ of }: Card) => of.evidence_count + of.log_total;

function compare(by: SortBy, a: Card, b: Card, collator: Intl.Collator): number {
  switch (by) {
    case "rank":
      return (a.of.rank?.order ?? 0) - (b.of.rank?.order ?? 0);
    case "id":
      return collator.compare(a.of.id, b.of.id);
    case "verdict":
      return COLUMNS.indexOf(a.of.verdict) - COLUMNS.indexOf(b.of.verdict);
    case "claim":
      return collator.compare(a.of.description, b.of.description);
    case "location":
      return collator.compare(a.of.logging_point, b.of.logging_point);
    case "evidence":
      return entriesOf(a) - entriesOf(b);
  }
}

/** What is missing comes last in both directions; equal ones stay sorted by likelihood. */
export function sortHypotheses(cards: readonly Card[], sort: Sort, collator: Intl.Collator): Card[] {
  const lacks = missing[sort.by];
  const way = sort.down ? -1 : 1;
  return [...cards].sort((a, b) => {
    const [noA, noB] = [lacks(a), lacks(b)];
    if (noA || noB) return Number(noA) - Number(noB) || a.at - b.at;
    return way * compare(sort.by, a, b, collator) || a.at - b.at;
  });
}
