import type { EventKind } from "../../host/bindings";
import type { App } from "../../state/app.svelte";
import type { Tab } from "../../state/place";
import type { Entry } from "./entries";

/** Where in the loop something is that an entry is about. */
export interface Target {
  readonly tab: Tab;
  readonly item: string | null;
}

const TABS_OF: Readonly<Partial<Record<EventKind, Tab>>> = {
  change_log: "work",
  develop_entry: "work",
  worker: "work",
  trail: "work",
  decomposition: "work",
  debug_log: "debug",
  debug_entry: "debug",
  validate_entry: "tests",
};

const TABS_OF_CHANGE: Readonly<Record<string, Tab>> = {
  task: "work",
  atom: "work",
  branch: "work",
  worker: "work",
  hypothesis: "debug",
  root_cause: "debug",
  test_run: "tests",
};

export function targetOf(entry: Entry): Target | null {
  const { what } = entry;
  if (what.from === "event") {
    const tab = TABS_OF[what.event.kind];
    return tab ? { tab, item: entry.subject } : null;
  }
  if (what.from !== "change") return null;
  const change = what.changes.find((one) => one.what in TABS_OF_CHANGE);
  const tab = change && TABS_OF_CHANGE[change.what];
  return tab ? { tab, item: change.what === "root_cause" ? change.to : change.id } : null;
}

interface OpensAt {
  openAt?(place: { key: string; tab: Tab; item: string | null }): void;
}

/** Shows that part of the loop with the thing selected. */
export function go(app: App, key: string, target: Target): void {
  const opens = app as unknown as OpensAt;
  if (opens.openAt) opens.openAt({ key, ...target });
  else app.showTab(target.tab);
}
