import { left } from "../../../state/left";
import type { HypothesisVerdict } from "../../../host/bindings";

/** What a person filters the hypotheses of one loop for. */
export class BoardLook {
  text = $state("");
  chosen: readonly HypothesisVerdict[] = $state.raw([]);
}

export const boardLookOf = left(() => new BoardLook());
