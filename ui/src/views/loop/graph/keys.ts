import type { KeyGroup } from "../../../state/keys";
import { t } from "../../../words/language.svelte";

/** The keys of the graph, for the key help. */
export const KEYS = (): KeyGroup => ({
  title: t.common.workGraph,
  keys: [
    [["←", "→", "↑", "↓"], t.graph.keyHelp.walk],
    [["[", "]"], t.graph.keyHelp.climb],
    [["Enter"], t.common.details],
    [["Shift", "F10"], t.list.heads.actions],
    [["f"], t.graph.keyHelp.fit],
    [["c"], t.common.criticalPath],
    [["r"], t.graph.keyHelp.ready],
    [["o"], t.graph.keyHelp.outline],
    [["+", "-", "0"], t.graph.keyHelp.zoom],
  ],
});
