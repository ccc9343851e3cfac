import { Later } from "../state/later.svelte";
import { TABS_LATER } from "./loop/tabs-later";

/** The parts of the window that are loaded behind the list, in the order in which a person may want them. */
export const LATER = {
  dialogs: new Later(() => import("./dialogs/Dialogs.svelte")),
  loop: new Later(() => import("./loop/LoopView.svelte")),
  ...TABS_LATER,
  start: new Later(() => import("./start/StartView.svelte")),
  launch: new Later(() => import("./start/LaunchView.svelte")),
  overview: new Later(() => import("./overview/OverviewPage.svelte")),
  search: new Later(() => import("./search/SearchPage.svelte")),
  agents: new Later(() => import("./agents/AgentsPage.svelte")),
  team: new Later(() => import("./team/TeamPage.svelte")),
  guide: new Later(() => import("./guide/GuidePage.svelte")),
  about: new Later(() => import("./about/AboutPage.svelte")),
  needs: new Later(() => import("./needs/NeedsDrawer.svelte")),
} as const;

/** Loads all of them, one after the other, so that whatever a person does in the meantime comes in between. */
export async function loadParts(): Promise<void> {
  for (const part of Object.values(LATER)) await part.load();
}
