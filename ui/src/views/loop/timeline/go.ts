import type { EntryPart, TimelineEntry } from "../../../host/bindings";
import type { Navigation } from "../../../state/navigation.svelte";
import type { Tab } from "../../../state/place";

/** Where in the loop something is that an entry is about. */
export interface Target {
  readonly tab: Tab;
  readonly item: string | null;
}

const TABS: Readonly<Record<EntryPart, Tab>> = { work: "work", debug: "debug", tests: "tests" };

export function targetOf({ part, subject, content }: TimelineEntry): Target | null {
  if (part === null) return null;
  return { tab: TABS[part], item: content.from === "version" ? content.item : subject };
}

/** Shows that part of the loop with the thing selected. */
export function go(navigation: Navigation, key: string, target: Target): void {
  navigation.openAt({ key, ...target });
}
