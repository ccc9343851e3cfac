import { left } from "../../state/left";
import type { ColumnId } from "./cards";

/** What a person filters the hypotheses of one loop for. */
export class BoardLook {
  text = $state("");
  chosen: readonly ColumnId[] = $state.raw([]);
}

export const boardLookOf = left(() => new BoardLook());
