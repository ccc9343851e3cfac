import type { KeyGroup } from "../../state/keys";
import { t } from "../../words/language.svelte";

/** The keys of the start form, for the key help. */
export const KEYS = (): KeyGroup => ({
  title: t.start.keyHelp.title,
  keys: [
    [["n"], t.shortcuts.names.start],
    [["Enter"], t.start.keyHelp.next],

    [["Alt PgUp"], t.start.keyHelp.back],
    [["Esc"], t.start.close],
  ],
});
