import { later } from "../../state/later";

/** The tabs of a loop that are loaded behind the list; the overview comes with the loop. */
export const TABS_LATER = {
  work: later(() => import("./tasks/WorkTab.svelte")),
  debug: later(() => import("./board/DebugTab.svelte")),
  tests: later(() => import("./tests/TestsTab.svelte")),
  activity: later(() => import("./timeline/ActivityTab.svelte")),
  output: later(() => import("./output/OutputTab.svelte")),
  files: later(() => import("./files/FilesTab.svelte")),
} as const;
