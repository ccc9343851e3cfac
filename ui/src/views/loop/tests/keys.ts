import type { KeyGroup } from "../../../state/keys";
import { t } from "../../../words/language.svelte";

/** The keys of the tests, for the key help. */
export const KEYS = (): KeyGroup => ({
  title: t.tests.shows.tests,
  keys: [
    [["n", "p"], t.tests.keyHelp.failures],
    [["e"], t.tests.keyHelp.open],
    [["d"], t.tests.keyHelp.slowest],
    [["/"], t.common.filterTests],
  ],
});
