import { Later } from "../../state/later.svelte";

/** The tabs of a loop that are loaded behind the list; the overview comes with the loop. */
export const TABS_LATER = {
  work: new Later(() => import("./tasks/WorkTab.svelte")),
  debug: new Later(() => import("./board/DebugTab.svelte")),
  tests: new Later(() => import("./tests/TestsTab.svelte")),
  activity: new Later(() => import("./timeline/ActivityTab.svelte")),
  output: new Later(() => import("./output/OutputTab.svelte")),
  files: new Later(() => import("./files/FilesTab.svelte")),
} as const;
