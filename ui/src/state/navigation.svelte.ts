import type { FollowUpKind, LoopPage } from "../host/bindings";
import type { Catalog } from "./catalog.svelte";
import type { Dialog } from "./dialog";
import { openId } from "./lately";
import type { LoopList } from "./list.svelte";
import type { OpenPage } from "./page.svelte";
import { STATE_FILE, type LaunchPlace, type Place, type Tab } from "./place";
import type { SettingsState } from "./settings.svelte";
import { Trail } from "./trail";

interface LoopSpot {
  readonly key: string;
  readonly tab: Tab;
  readonly item: string | null;
  readonly line?: number | null;
}

/** Where in the window the person is, what covers it, and the way that led there. */
export class Navigation {
  place: Place = $state.raw({ kind: "list" });
  dialog: Dialog | null = $state.raw(null);
  /** The page of the opened loop, for what is offered besides the view itself. */
  opened: OpenPage | null = $state.raw(null);
  /** Told whenever the person goes somewhere, before they arrive. */
  ongo: () => void = () => undefined;

  readonly #catalog: Catalog;
  readonly #settings: SettingsState;
  readonly #list: LoopList;
  readonly #trail = new Trail();

  constructor(catalog: Catalog, settings: SettingsState, list: LoopList) {
    this.#catalog = catalog;
    this.#settings = settings;
    this.#list = list;
  }

  /** What was read of the opened loop, for those who offer what its file allows. */
  get page(): LoopPage | null {
    return this.opened?.page ?? null;
  }

  open(key: string, tab: Tab = "overview"): void {
    this.#go({ kind: "loop", key, tab, line: null, item: null });
  }

  /** Opens a place that a link, the palette or another view names. */
  openAt({ key, tab, item, line = null }: LoopSpot): void {
    this.#go({ kind: "loop", key, tab, line, item });
  }

  showTab(tab: Tab): void {
    if (this.place.kind === "loop") this.#go({ ...this.place, tab, line: null, item: null });
  }

  /** Opens the state file of a loop, at a line where one is known. */
  openFile(key: string, line: number | null = null): void {
    this.#go({ kind: "loop", key, tab: "files", line, item: STATE_FILE });
  }

  /** Shows a line of the state file of the opened loop. */
  showLine(line: number | null): void {
    if (this.place.kind === "loop") this.openFile(this.place.key, line);
  }

  /** Leads from a tab that the loop doesn't have to one that it has: no step of the way. */
  settle(tab: Tab): void {
    if (this.place.kind === "loop") this.place = { ...this.place, tab, line: null, item: null };
  }

  /** What is chosen in the part that is shown; part of the place, so that it can be linked to. */
  select(item: string | null): void {
    if (this.place.kind === "loop" && this.place.item !== item) this.place = { ...this.place, item };
  }

  /** To the list. */
  back(): void {
    this.#go({ kind: "list" });
  }

  /** Shows the list with a filter, from the sidebar or the palette. */
  showList(filter: string): void {
    this.#list.filter = filter;
    this.back();
  }

  /** To the form that starts a loop; like another one, or as follow-up work of it, where it is named. */
  startLoop(from: string | null = null, followUp: FollowUpKind | null = null): void {
    this.#go({ kind: "start", from, followUp });
  }

  /** To the form that chooses how the agent of a loop is run; it takes the place of whatever asked. */
  chooseLaunch(choice: Omit<LaunchPlace, "kind">): void {
    this.dialog = null;
    this.#go({ kind: "launch", ...choice });
  }

  /** To what a lead sees of all loops. */
  showOverview(): void {
    this.#go({ kind: "overview" });
  }

  /** To the search over all loops. */
  showSearch(): void {
    this.#go({ kind: "search" });
  }

  /** To the agents of this computer. */
  showAgents(): void {
    this.#go({ kind: "agents" });
  }

  /** To the team of this machine, and what it shares. */
  showTeam(): void {
    this.#go({ kind: "team" });
  }

  /** To a page of the user guide. */
  showGuide(page = "index"): void {
    this.#go({ kind: "guide", page });
  }

  /** To the version of Loopdeck, what changed, and what it contains of others. */
  showAbout(): void {
    this.#go({ kind: "about" });
  }

  /** Back along the way the person came, or forward again. Answers whether there was somewhere to go. */
  retrace(step: "back" | "forward"): boolean {
    const to = this.#trail[step](this.place);
    if (to) this.#arrive(to);
    return to !== undefined;
  }

  #go(to: Place): void {
    this.#trail.leave(this.place, to);
    this.#arrive(to);
  }

  #arrive(to: Place): void {
    this.ongo();
    this.place = to;
    if (to.kind !== "loop") return;
    this.#settings.lately.add(openId(to.key));
    this.#list.activeKey = to.key;
    const row = this.#catalog.cell(to.key)?.row;
    if (row) this.#settings.markOpened(row);
  }
}
