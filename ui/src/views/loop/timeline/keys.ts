import type { KeyGroup } from "../../../state/keys";
import { t } from "../../../words/language.svelte";

/** The keys of the timeline, for the key help. */
export const KEYS = (): KeyGroup => ({
  title: t.detail.tabs.activity,
  keys: [
    [["↑", "↓", "j", "k"], t.keys.move],
    [["Enter"], t.common.details],
    [["←", "→"], t.timeline.keyHelp.fold],
    [["v"], t.common.asItWas],
  ],
});
