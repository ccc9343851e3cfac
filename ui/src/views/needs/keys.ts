import type { KeyGroup } from "../../state/keys";
import { t } from "../../words/language.svelte";

/** The keys of what needs the person, for the key help. */
export const KEYS = (): KeyGroup => ({
  title: t.status.needs_you,
  keys: [
    [["g", "i"], t.shortcuts.names.needs],
    [["Ctrl Enter"], t.needs.keys.send],
    [["Esc"], t.common.close],
  ],
});
