import type { SavedView } from "../host/bindings";
import { say, t } from "../words/language.svelte";
import { SORTS, type Sort } from "./arrange";
import type { LoopList } from "./list.svelte";
import type { Navigation } from "./navigation.svelte";
import type { Notices } from "./notices.svelte";
import type { SettingsState } from "./settings.svelte";

/** So many views have keys: those of the digits. */
const WITH_KEYS = 9;

interface Parts {
  readonly list: LoopList;
  readonly navigation: Navigation;
  readonly notices: Notices;
  readonly settings: SettingsState;
}

/** The keys of a view by its place, one entry for each press; none beyond the digits. */
export function keysOfView(at: number): string[] {
  return at < WITH_KEYS ? ["Alt", String(at + 1)] : [];
}

/** The place of the view that a key press means. By the key and not by its character: with Alt, some systems write another one. */
export function viewPressed(event: KeyboardEvent): number | null {
  if (!event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return null;
  const digit = /^Digit([1-9])$/.exec(event.code);
  return digit ? Number(digit[1]) - 1 : null;
}

/** Filters, search and grouping of the list, by names that the person gives them. */
export class SavedViews {
  readonly #list: LoopList;
  readonly #navigation: Navigation;
  readonly #notices: Notices;
  readonly #settings: SettingsState;

  constructor(parts: Parts) {
    this.#list = parts.list;
    this.#navigation = parts.navigation;
    this.#notices = parts.notices;
    this.#settings = parts.settings;
  }

  get all(): readonly Required<SavedView>[] {
    return this.#settings.views;
  }

  /** Whether the list shows this view. */
  isShown({ filter, sort }: Required<SavedView>): boolean {
    const inList = this.#navigation.place.kind === "list";
    return inList && this.#list.filter.trim() === filter && this.#list.sort === sort;
  }

  /** Whether what the list shows is worth a name, and has none. */
  get isNew(): boolean {
    const plain = this.#list.filter.trim() === "" && this.#list.sort === "status";
    return !plain && !this.all.some((view) => this.isShown(view));
  }

  /** Shows the view at this place; answers whether there is one. */
  show(at: number): boolean {
    const view = this.all[at];
    if (!view) return false;
    this.#list.sort = SORTS.includes(view.sort as Sort) ? (view.sort as Sort) : "status";
    this.#navigation.showList(view.filter);
    return true;
  }

  /** Keeps what the list shows under a name. One of the same name says this from now on, at its place. */
  save(name: string): void {
    const view = { name, filter: this.#list.filter.trim(), sort: this.#list.sort };
    const at = this.all.findIndex((other) => other.name === name);
    this.#keep(at < 0 ? [...this.all, view] : this.all.with(at, view));
  }

  rename(from: string, to: string): void {
    const others = this.all.filter(({ name }) => name === from || name !== to);
    this.#keep(others.map((view) => (view.name === from ? { ...view, name: to } : view)));
  }

  /** Forgets a view; what it showed stays on screen. */
  remove(name: string): void {
    const at = this.all.findIndex((view) => view.name === name);
    const gone = this.all[at];
    if (!gone) return;
    this.#keep(this.all.toSpliced(at, 1));
    this.#notices.notify(say(t.views.removed, { name }), async () => {
      const others = this.all.filter((view) => view.name !== name);
      this.#keep(others.toSpliced(at, 0, gone));
      this.#notices.tellUndone();
    });
  }

  #keep(views: readonly Required<SavedView>[]): void {
    this.#settings.views = views;
    this.#settings.save();
  }
}
