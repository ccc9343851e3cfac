import { untrack } from "svelte";
import type { Format, Group, LoopRow, WorkspaceView } from "../host/bindings";
import { language } from "../words/language.svelte";
import { workspaceText } from "../words/phrases";
import {
  GROUPS,
  underHeadings,
  headingPlaces,
  isCell,
  moveItem,
  inGroupOrder,
  sameOrder,
  shownGroup,
  withoutGone,
  type Entry,
  type Placed,
  type Sort,
} from "./arrange";
import type { Catalog, Cell } from "./catalog.svelte";
import {
  compileFilter,
  folderNamed,
  nameInFilter,
  parseFilter,
  toggleToken,
  wordsOf,
  type FilterScene,
  type Token,
} from "./filter";
import { SearchText } from "./search-text";
import type { SettingsState } from "./settings.svelte";

/** How long pointer and focus are away before rows move, in milliseconds. */
const AWAY = 3_000;
/**
 * How long after a person's request the loop's change of group counts as the answer, in
 * milliseconds.
 */
const ANSWERS = 10_000;

/** The loop list: what is asked for, in which order, and which row is the current one. */
export class LoopList {
  filter = $state("");
  sort: Sort = $state("status");
  /** The order on screen; it waits while `held`. */
  shown: readonly Entry[] = $state.raw([]);
  /** Whether it is shown because of something typed, and not because a loop changed. */
  typed = false;
  /** Rows whose change would alter the order on screen. */
  waiting = $state(0);
  /** Where the list was left, so that coming back finds it again. */
  scrollTop = 0;

  /** The row the keyboard is on. */
  #active: string | null = $state(null);
  /** Whether a person went to that row. Until then it is the first one, also when others come before it. */
  #chosen = false;
  readonly #catalog: Catalog;
  readonly #settings: SettingsState;
  readonly #touched = new Set<string>();
  /** The pointer or the focus is inside, or was a moment ago: rows must not move under it. */
  #held = $state(false);
  #away: ReturnType<typeof setTimeout> | undefined;
  /** Loops that the person just asked something of: when, and the group in which they were then. */
  readonly #asking = new Map<string, { readonly at: number; readonly group: Group }>();
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
  /** What is shown where nothing is asked for. */
  readonly #everything: Entry[] = $derived(underHeadings(this.#ordered, () => true));
  readonly #fresh: Entry[] = $derived.by(() => this.#arrange());
  /** How many loops are shown. */
  readonly found: number = $derived(this.shown.length - headingPlaces(this.shown).length);
  /** Loops per group, over all of them. */
  readonly counts: Readonly<Record<Group, number>> = $derived.by(() => this.#count());
  /** The formats that there are loops of. */
  readonly formats: readonly Format[] = $derived.by(() => this.#formats());

  constructor(catalog: Catalog, settings: SettingsState) {
    this.#catalog = catalog;
    this.#settings = settings;
    catalog.onPulled((pulled) => {
      if (!untrack(() => this.#held)) return;
      for (const { row } of pulled.changed) this.#touched.add(row.key);
      for (const key of pulled.removed) this.#touched.add(key);
    });
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
    return shownGroup(row, this.#settings.opened);
  }

  /** The loops of a group, whatever is filtered, in the order of the list. */
  cellsIn(group: Group): Cell[] {
    return this.#ordered.map(({ cell }) => cell).filter((cell) => this.groupOf(cell.row) === group);
  }

  /** Follows the catalog; call inside an effect. */
  follow(): void {
    const fresh = this.#fresh;
    const asked = `${this.filter}\n${this.sort}\n${language.id}`;
    const reading = this.#catalog.loaded && this.#catalog.workspaces.every((workspace) => workspace.scanned);
    if (reading && !this.#ready) untrack(() => this.#getReady());
    const wait = this.#held && reading && asked === this.#askedBefore;
    this.#askedBefore = asked;
    const typed = this.filter !== this.#filterBefore;
    this.#filterBefore = this.filter;
    untrack(() => (wait ? this.#keepOrder(fresh) : this.#take(fresh, typed)));
  }

  /** The pointer or the focus came in, or both have left: a moment later rows may move again. */
  hold(held: boolean): void {
    clearTimeout(this.#away);
    if (held) this.#held = true;
    else if (untrack(() => this.#held)) this.#away = setTimeout(() => (this.#held = false), AWAY);
  }

  /** The list is out of sight: a row that moves disturbs no one. */
  release(): void {
    clearTimeout(this.#away);
    this.#held = false;
  }

  /** The person asked something of this loop: it moves to its new group at once, also while all others wait. */
  expect(key: string): void {
    const row = this.#catalog.cell(key)?.row;
    if (row) this.#asking.set(key, { at: Date.now(), group: this.groupOf(row) });
  }

  updateOrder(): void {
    this.#take(this.#fresh, false);
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
      formatWords: language.words.format,
      texts: () => this.#texts,
    };
  }

  #order(): Placed[] {
    void this.#catalog.version;
    void this.#settings.opened;
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
    return untrack(() => underHeadings(placed, matches));
  }

  #count(): Record<Group, number> {
    void this.#catalog.version;
    void this.#settings.opened;
    const counts = Object.fromEntries(GROUPS.map((group) => [group, 0])) as Record<Group, number>;
    return untrack(() => {
      for (const cell of this.#catalog.cells()) counts[this.groupOf(cell.row)] += 1;
      return counts;
    });
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
    this.#touched.clear();
    this.waiting = 0;
    const current = (entry: Entry) => isCell(entry) && entry.key === this.#active;
    this.#chosen &&= this.shown.some(current);
    if (!this.#chosen) this.#active = this.shown.find(isCell)?.key ?? null;
  }

  /** Rows stay where they are; only those that are gone leave, and what was asked of a loop moves it. */
  #keepOrder(fresh: readonly Entry[]): void {
    const gone = (cell: Cell) => this.#catalog.cell(cell.key) === undefined;
    if (this.shown.some((entry) => isCell(entry) && gone(entry))) {
      this.shown = withoutGone(this.shown, gone);
      this.typed = false;
    }
    const answered = this.#answered();
    if (answered.size > 0) {
      this.shown = moveItem(this.shown, fresh, (cell) => answered.has(cell.key));
      this.typed = false;
      for (const key of answered) this.#touched.delete(key);
    }
    this.waiting = sameOrder(this.shown, fresh) ? 0 : Math.max(1, this.#touched.size);
  }

  /** Loops that left their group because of what the person asked. Each later change of group within the time counts too. */
  #answered(): ReadonlySet<string> {
    const answered = new Set<string>();
    for (const [key, { at, group }] of this.#asking) {
      const row = this.#catalog.cell(key)?.row;
      if (!row || Date.now() - at > ANSWERS) this.#asking.delete(key);
      else if (this.groupOf(row) !== group) {
        answered.add(key);
        this.#asking.set(key, { at, group: this.groupOf(row) });
      }
    }
    return answered;
  }
}
