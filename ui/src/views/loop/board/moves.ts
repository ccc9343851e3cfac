import type { Column } from "./cards";

/** Where the keyboard is on the board. */
export interface Spot {
  readonly key: string;
  /** The height it tries to keep from column to column. */
  readonly wish: number;
}

/** Where an arrow leads. Columns below each other continue where the upper one ends; none is empty. */
export function moveFocus(
  columns: readonly Column[],
  from: Spot | null,
  arrow: string,
  lanes: number,
): Spot | null {
  const first = columns[0]?.cards[0];
  if (!first) return null;
  const column = columns.findIndex(({ cards }) => cards.some((card) => card.key === from?.key));
  if (!from || column < 0) return { key: first.key, wish: 0 };
  const cards = columns[column]!.cards;
  const index = cards.findIndex((card) => card.key === from.key);
  const at = (to: Column | undefined, place: number, wish = place): Spot =>
    to ? { key: to.cards[Math.min(place, to.cards.length - 1)]!.key, wish } : from;
  const next = (step: number): Column | undefined => columns[column + step];
  const here = columns[column];
  switch (arrow) {
    case "ArrowDown":
      return index < cards.length - 1 ? at(here, index + 1) : at(next(lanes), 0);
    case "ArrowUp": {
      const above = next(-lanes);
      return index > 0 ? at(here, index - 1) : at(above, (above?.cards.length ?? 1) - 1);
    }
    case "ArrowRight":
      return at(next(1), from.wish, from.wish);
    case "ArrowLeft":
      return at(next(-1), from.wish, from.wish);
    case "Home":
      return at(here, 0);
    case "End":
      return at(here, cards.length - 1);
    default:
      return null;
  }
}
