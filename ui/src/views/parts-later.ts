import { later } from "../state/later";
import { TABS_LATER } from "./loop/tabs-later";

/** The parts of the window that are loaded behind the list, in the order in which a person may want them. */
export const LATER = {
  dialogs: later(() => import("./dialogs/Dialogs.svelte")),
  loop: later(() => import("./loop/LoopView.svelte")),
  ...TABS_LATER,
  start: later(() => import("./start/StartView.svelte")),
  launch: later(() => import("./start/LaunchView.svelte")),
  overview: later(() => import("./overview/OverviewPage.svelte")),
  search: later(() => import("./search/SearchPage.svelte")),
  agents: later(() => import("./agents/AgentsPage.svelte")),
  team: later(() => import("./team/TeamPage.svelte")),
  guide: later(() => import("./guide/GuidePage.svelte")),
  about: later(() => import("./about/AboutPage.svelte")),
  needs: later(() => import("./needs/NeedsDrawer.svelte")),
} as const;

/** Loads all of them, one after the other, so that whatever a person does in the meantime comes in between. */
export async function loadParts(): Promise<void> {
  for (const part of Object.values(LATER)) await part.once();
}
