import { untrack } from "svelte";
import type { Format, Group, LoopRow, WorkspaceView } from "../host/bindings";
import { language } from "../words/language.svelte";
import { formatNames, workspaceText } from "../words/phrases";
import {
  listedCount,
  underHeadings,
  headingPlaces,
  isCell,
  inGroupOrder,
  sameOrder,
  shownGroup,
  withRowHeld,
  type Entry,
  type Placed,
  type Sort,
} from "./arrange";
import type { Catalog, Cell } from "./catalog.svelte";
import {
  compileFilter,
  folderNamed,
  looksAside,
  nameInFilter,
  parseFilter,
  toggleToken,
  wordsOf,
  type FilterScene,
  type Token,
} from "./filter";
import { ListChoice } from "./list-choice.svelte";
import { SearchText } from "./search-text";
import type { NeedsState } from "./needs.svelte";
import type { SettingsState } from "./settings.svelte";

/** The loop list: what is asked for, in which order, and which row is the current one. */
export class LoopList {
  filter = $state("");
  sort: Sort = $state("status");
  /** The order on screen. */
  shown: readonly Entry[] = $state.raw([]);
  /** Whether it is shown because of something typed, and not because a loop changed. */
  typed = false;
  /** The row under the pointer, which stays where it is until the pointer leaves it. */
  pointed: string | null = $state(null);
  /** The rows that are selected. */
  readonly choice = new ListChoice();
  /** Where the list was left, so that coming back finds it again. */
  scrollTop = 0;

  /** The row the keyboard is on. */
  #active: string | null = $state(null);
  /** Whether a person went to that row. Until then it is the first one, also when others come before it. */
  #chosen = false;
  readonly #catalog: Catalog;
  readonly #settings: SettingsState;
  readonly #needs: Pick<NeedsState, "asking">;
  /** What the first word typed looks into has been made. */
  #ready = false;
  #askedBefore = "";
  #filterBefore = "";

  readonly tokens: Token[] = $derived(parseFilter(this.filter));
  readonly words: readonly string[] = $derived(wordsOf(this.tokens));
  /** The folder whose loops alone are listed; nothing where there are several, or all. */
  readonly folder: WorkspaceView | null = $derived.by(() =>
    folderNamed(this.tokens, this.#catalog.workspaces),
  );
  /** All loops in their order: what a person types only takes some of them out. */
  readonly #ordered: Placed[] = $derived.by(() => this.#order());
  readonly #texts: SearchText = $derived(new SearchText(this.#ordered.map(({ cell }) => cell.haystack)));
  /** How many loops are in the list, whatever is filtered: all that are not put aside. */
  readonly listed: number = $derived(listedCount(this.#ordered));
  /** How many loops the filter takes its own from. */
  readonly total: number = $derived(looksAside(this.tokens) ? this.#ordered.length : this.listed);
  /** Loops that are put aside, by how. */
  readonly aside: Readonly<Record<"archived" | "snoozed", number>> = $derived.by(() => {
    const last = this.#ordered.slice(this.listed);
    const archived = last.filter(({ under }) => under === "archived").length;
    return { archived, snoozed: last.length - archived };
  });
  /** What is shown where nothing is asked for. */
  readonly #everything: Entry[] = $derived(underHeadings(this.#ordered, () => true, this.listed));
  readonly #fresh: Entry[] = $derived.by(() => this.#arrange());
  /** How many loops are shown. */
  readonly found: number = $derived(this.shown.length - headingPlaces(this.shown).length);
  /** Loops that need the person, whatever is filtered: the one number for all places that say it. */
  readonly needing: readonly Cell[] = $derived.by(() => this.#cellsThatNeed());
  /** The formats that there are loops of. */
  readonly formats: readonly Format[] = $derived.by(() => this.#formats());

  constructor(catalog: Catalog, settings: SettingsState, needs: Pick<NeedsState, "asking">) {
    this.#catalog = catalog;
    this.#settings = settings;
    this.#needs = needs;
  }

  get activeKey(): string | null {
    return this.#active;
  }

  /** Goes to a row; it stays the current one as long as it is shown. */
  set activeKey(key: string | null) {
    this.#active = key;
    this.#chosen = true;
  }

  groupOf(row: LoopRow): Group {
    return shownGroup(row, this.#settings.opened, this.#needs.asking);
  }

  /** Follows the catalog; call inside an effect. */
  follow(): void {
    const fresh = this.#fresh;
    const asked = `${this.filter}\n${this.sort}\n${language.id}`;
    const reading = this.#catalog.loaded && this.#catalog.workspaces.every((workspace) => workspace.scanned);
    if (reading && !this.#ready) untrack(() => this.#getReady());
    const held = this.pointed !== null && asked === this.#askedBefore;
    this.#askedBefore = asked;
    const typed = this.filter !== this.#filterBefore;
    this.#filterBefore = this.filter;
    const row = held ? this.#catalog.cell(this.pointed!) : undefined;
    untrack(() => this.#take(row ? withRowHeld(this.shown, fresh, row) : fresh, typed));
  }

  toggle(token: Token): void {
    this.filter = toggleToken(this.filter, token);
  }

  move(step: number): void {
    const cells = this.shown.filter(isCell);
    const index = cells.findIndex((cell) => cell.key === this.activeKey);
    const last = cells.length - 1;
    const next = index < 0 ? (step < 0 ? last : 0) : Math.min(last, Math.max(0, index + step));
    this.activeKey = cells[next]?.key ?? null;
  }

  /** A row that is no longer shown is no longer selected: nothing is done to what a person doesn’t see. */
  #dropUnseen(): void {
    const shown = new Set(this.shownKeys);
    this.choice.keepOnly((key) => shown.has(key));
  }

  /** The keys of all rows, in their order. */
  get shownKeys(): string[] {
    return this.shown.filter(isCell).map(({ key }) => key);
  }

  /** What is acted on: the selected rows, or this one alone. */
  actedOn(key: string): string[] {
    return this.choice.keys.size > 0 ? this.shownKeys.filter((one) => this.choice.has(one)) : [key];
  }

  /** To join ten thousand texts takes a good part of a frame, which the first key should have for itself. */
  #getReady(): void {
    this.#ready = true;
    void this.#texts;
  }

  #scene(): FilterScene {
    // Both names are looked into: the one on screen, and the folder's, which tokens are written with.
    const workspaces = new Map(
      this.#catalog.workspaces.map((one) => [one.id, nameInFilter(`${one.name}\n${workspaceText(one)}`)]),
    );
    return {
      groupOf: (row) => this.groupOf(row),
      workspaces,
      statusWords: language.words.status,
      formatWords: formatNames(),
      texts: () => this.#texts,
    };
  }

  #order(): Placed[] {
    void this.#catalog.version;
    void this.#settings.opened;
    void this.#needs.asking;
    const group = (row: LoopRow) => this.groupOf(row);
    const { sort } = this;
    const { collator } = language;
    // Rows are read untracked: `version` already covers all of them, 10,000 subscriptions would
    // cost more.
    return untrack(() => inGroupOrder(this.#catalog.cells(), sort, group, collator));
  }

  #arrange(): Entry[] {
    if (this.tokens.length === 0) return this.#everything;
    const placed = this.#ordered;
    const matches = compileFilter(this.tokens, this.#scene());
    const { total } = this;
    return untrack(() => underHeadings(placed, matches, total));
  }

  /** In the order of the list. */
  #cellsThatNeed(): Cell[] {
    const placed = this.#ordered;
    return untrack(() =>
      placed.map(({ cell }) => cell).filter((cell) => this.groupOf(cell.row) === "attention"),
    );
  }

  #formats(): Format[] {
    void this.#catalog.version;
    return untrack(() => [...new Set([...this.#catalog.cells()].map(({ traits }) => traits.format))]);
  }

  #take(fresh: readonly Entry[], typed: boolean): void {
    if (!sameOrder(this.shown, fresh)) {
      this.shown = fresh;
      this.typed = typed;
    }
    const current = (entry: Entry) => isCell(entry) && entry.key === this.#active;
    this.#chosen &&= this.shown.some(current);
    if (!this.#chosen) this.#active = this.shown.find(isCell)?.key ?? null;
    if (this.choice.keys.size > 0) this.#dropUnseen();
  }
}
