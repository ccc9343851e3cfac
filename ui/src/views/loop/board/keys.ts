import type { KeyGroup } from "../../../state/keys";
import { t } from "../../../words/language.svelte";

/** The keys of the board of hypotheses, for the key help. */
export const KEYS = (): KeyGroup => ({
  title: t.fact.hypotheses_count,
  keys: [
    [["←", "→", "↑", "↓"], t.board.keyHelp.move],
    [["Enter"], t.common.details],
    [["t"], t.board.keyHelp.view],
    [["e"], t.board.keyHelp.openLocation],
    [["c"], t.common.copyLocation],
    [["/"], t.common.filterHypotheses],
  ],
});
