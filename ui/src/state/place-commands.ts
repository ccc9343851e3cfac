import type { LoopDetail } from "../host/bindings";
import { say, t } from "../words/language.svelte";
import { taskStatus, verdictText } from "../words/loop-phrases";
import type { App } from "./app.svelte";
import type { Command } from "./command";
import { tabsOf } from "./loop-tabs";
import { TABS, type Tab } from "./place";

interface ItemSpot {
  readonly tab: Tab;
  /** What the part's view calls it. */
  readonly item: string;
  readonly name: string;
  readonly text: string;
  readonly status: Command["status"] | null;
}

/** What a person may want to jump to inside the loop that is open. */
function spotsIn(detail: LoopDetail): ItemSpot[] {
  return [
    ...(detail.debug?.hypotheses ?? []).map((one) => ({
      tab: "debug" as const,
      item: one.id,
      name: one.id,
      text: one.description,
      status: { mark: one.verdict, text: verdictText(one) },
    })),
    ...(detail.validation?.failed_tests ?? []).map((name) => ({
      tab: "tests" as const,
      item: name,
      name,
      text: "",
      status: { mark: "failed" as const, text: t.word.failed },
    })),
    ...detail.atoms.map((one) => ({
      tab: "work" as const,
      item: one.id,
      name: one.id,
      text: one.description,
      status: { mark: one.state, text: t.atom[one.state] },
    })),
    ...detail.tasks.map((one) => ({
      tab: "work" as const,
      item: one.id,
      name: one.id,
      text: one.description,
      status: { mark: one.state, text: taskStatus(one) },
    })),
    ...detail.task_list.map((one) => ({
      tab: "work" as const,
      item: one.id,
      name: one.id,
      text: one.description,
      status: null,
    })),
  ];
}

/** Parts of the opened loop, and their content: hypotheses, failing tests, atoms, tasks. */
export function placeCommands(app: App): Command[] {
  const { place, page } = app.navigation;
  if (place.kind !== "loop") return [];
  const { key } = place;
  const own = page?.row.key === key ? page : null;
  const tabs = (own ? tabsOf(own) : TABS).map((tab): Command => ({
    id: `tab ${tab}`,
    label: say(t.palette.goToPart, { name: t.detail.tabs[tab] }),
    icon: "chevron",
    ...(app.settings.letterKeys ? { shortcut: String(TABS.indexOf(tab) + 1) } : {}),
    run: () => app.navigation.openAt({ key, tab, item: null }),
  }));
  if (!own) return tabs;
  const items = spotsIn(own.detail).map((spot, index): Command => ({
    // Files may name two things alike.
    id: `spot ${index} ${spot.tab} ${spot.item}`,
    label: spot.text === "" ? spot.name : `${spot.name} · ${spot.text}`,
    icon: "chevron",
    ...(spot.status ? { status: spot.status } : {}),
    run: () => app.navigation.openAt({ key, tab: spot.tab, item: spot.item }),
  }));
  return [...tabs, ...items];
}
