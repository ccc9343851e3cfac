import type { KeyGroup } from "../../../state/keys";
import { t } from "../../../words/language.svelte";

export const KEYS = (): KeyGroup => ({
  title: t.detail.tabs.output,
  keys: [
    [["↑", "↓"], t.output.keyHelp.rows],
    [["Home", "End"], t.keys.ends],
    [["Enter"], t.output.keyHelp.open],
    [["Shift Enter"], t.common.showRest],
    [["n", "p"], t.output.keyHelp.errors],
    [["/"], t.common.search],
    [["[", "]"], t.output.keyHelp.runs],
    [["f"], t.common.follow],
    [["w", "r"], t.output.keyHelp.wrap],
    [["c"], t.output.keyHelp.copy],
    [["d"], t.output.keyHelp.details],
  ],
});
