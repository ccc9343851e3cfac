import type { KeyGroup } from "../../../state/keys";
import { t } from "../../../words/language.svelte";

/** The keys of the graph, for the key help. */
export const KEYS = (): KeyGroup => ({
  title: t.graph.keyHelp.title,
  keys: [
    [["←", "→", "↑", "↓"], t.graph.keyHelp.walk],
    [["[", "]"], t.graph.keyHelp.climb],
    [["Enter"], t.graph.keyHelp.open],
    [["Shift", "F10"], t.graph.keyHelp.actions],
    [["f"], t.graph.keyHelp.fit],
    [["c"], t.graph.keyHelp.critical],
    [["r"], t.graph.keyHelp.ready],
    [["o"], t.graph.keyHelp.outline],
    [["+", "-", "0"], t.graph.keyHelp.zoom],
  ],
});
