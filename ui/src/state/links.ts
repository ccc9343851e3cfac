import type { LoopDetail } from "../host/bindings";
import type { Linked } from "../host/host";
import { cutText } from "../words/cut";
import { say, t } from "../words/language.svelte";
import type { Catalog } from "./catalog.svelte";
import type { Navigation } from "./navigation.svelte";
import type { Notices } from "./notices.svelte";
import { isTab, STATE_FILE, type Tab } from "./place";

/** Longer than any id that a view gives out. */
const LONGEST_ITEM = 500;

/** A place that a link names, as far as it can be one. */
interface LinkedPlace {
  readonly key: string;
  readonly tab: Tab;
  readonly item: string | null;
  /** The part that the link names and this window does not have. */
  readonly strange: string | null;
}

/** Tabs of earlier versions of Loopdeck, as links still name them, and the file that each began with. */
const EARLIER: ReadonlyMap<string | null, string | null> = new Map([
  ["documents", null],
  ["source", STATE_FILE],
  ["history", STATE_FILE],
]);

/** What a link asks for. Links come from chats: nothing in them is believed. */
export function readLink(given: Linked): LinkedPlace {
  const earlier = EARLIER.get(given.tab);
  const link = earlier === undefined ? given : { ...given, tab: "files", item: given.item ?? earlier };
  const known = link.tab !== null && isTab(link.tab) ? link.tab : null;
  const fits = known !== null && link.item !== null && link.item !== "" && link.item.length <= LONGEST_ITEM;
  return {
    key: link.key,
    tab: known ?? "overview",
    item: fits ? link.item : null,
    strange: known === null ? link.tab : null,
  };
}

/** The ids that can be chosen in a part; null where only the view itself can tell. */
function idsIn(detail: LoopDetail, tab: Tab): string[] | null {
  if (tab === "debug") return detail.debug?.hypotheses.map((one) => one.id) ?? [];
  // Workers have no ids in the file: their view names them as it likes.
  if (tab !== "work" || detail.workers.length > 0) return null;
  const ids = [...detail.atoms, ...detail.tasks, ...detail.task_list].map((one) => one.id);
  return [...ids, ...detail.or_groups.map((group) => group.name)];
}

/** Whether a part has what a link names. Views may add to the id: “worker:W2”, “H1#2”. */
function hasItem(detail: LoopDetail, tab: Tab, item: string): boolean {
  const ids = idsIn(detail, tab);
  if (ids === null) return true;
  const around = (id: string) => item.startsWith(`${id}#`) || item.endsWith(`:${id}`);
  return ids.some((id) => item === id || (id !== "" && around(id)));
}

/** Opens what links ask for, as soon as the loop is in the list. */
export class Links {
  readonly #catalog: Catalog;
  readonly #navigation: Navigation;
  readonly #notices: Notices;
  /** Its loop is not in the list yet. */
  #awaited: LinkedPlace | null = null;
  /** Opened, but its page has not been read: what it names may not be there. */
  #arrived: LinkedPlace | null = null;

  constructor(catalog: Catalog, navigation: Navigation, notices: Notices) {
    this.#catalog = catalog;
    this.#navigation = navigation;
    this.#notices = notices;
    catalog.onPulled(() => this.#openAwaited());
  }

  follow(link: Linked): void {
    this.#awaited = readLink(link);
    this.#notices.message = "";
    if (!this.#openAwaited()) this.#notices.tell(t.links.waiting);
  }

  /** The person went somewhere: the link that is still awaited must not pull the page away. */
  forget(): void {
    this.#awaited = null;
  }

  #openAwaited(): boolean {
    const link = this.#awaited;
    if (!link || !this.#catalog.cell(link.key)) return false;
    this.#awaited = null;
    this.#notices.message = "";
    this.#arrived = link;
    this.#navigation.openAt(link);
    if (link.strange !== null)
      this.#notices.tell(say(t.links.unknownPart, { name: shortText(link.strange) }));
    const { page } = this.#navigation;
    if (page) this.checkItem(page.row.key, page.detail);
    return true;
  }

  /** The page of a loop was read: the moment to see whether it has what the link named. */
  checkItem(key: string, detail: LoopDetail): void {
    const link = this.#arrived;
    if (!link || link.key !== key) return;
    this.#arrived = null;
    if (link.item === null || hasItem(detail, link.tab, link.item)) return;
    this.#navigation.select(null);
    this.#notices.tell(say(t.links.unknownItem, { name: shortText(link.item) }));
  }
}

/** Text from a link, fit for a sentence. */
function shortText(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return cutText(line, 60);
}
