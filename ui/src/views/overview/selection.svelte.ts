import type { LoopRow } from "../../host/bindings";
import type { Catalog } from "../../state/catalog.svelte";
import type { LoopList } from "../../state/list.svelte";
import { isCell } from "../../state/arrange";

/** Which loops a report is about. A folder is chosen by its id. */
export type Among = "all" | "filter" | "chosen" | (string & {});

/** The loops of a report, as the person selects them. */
export class Selection {
  among: Among = $state("all");
  /** Words that make the loops to choose from fewer. */
  words = $state("");
  chosen: readonly string[] = $state.raw([]);
  readonly #catalog: Catalog;
  readonly #list: LoopList;

  constructor(catalog: Catalog, list: LoopList) {
    this.#catalog = catalog;
    this.#list = list;
  }

  /** The filter of the list; empty when it shows all. */
  get filter(): string {
    return this.#list.filter.trim();
  }

  /** Loops to choose from, the newest first: those that are chosen stay whatever is typed. */
  offered(most: number): LoopRow[] {
    const wanted = this.words.trim().toLowerCase();
    const fits = ({ key, title }: LoopRow) =>
      this.chosen.includes(key) || title.toLowerCase().includes(wanted);
    return this.#rows()
      .filter(fits)
      .toSorted((left, right) => right.changed - left.changed)
      .slice(0, most);
  }

  toggle(key: string, on: boolean): void {
    this.chosen = on ? [...this.chosen, key] : this.chosen.filter((one) => one !== key);
  }

  /** Keys of the loops; null for all of them. */
  keys(): string[] | null {
    if (this.among === "all") return null;
    if (this.among === "chosen") return [...this.chosen];
    if (this.among === "filter") return this.#list.shown.filter(isCell).map(({ key }) => key);
    return this.#rows()
      .filter(({ workspace }) => workspace === this.among)
      .map(({ key }) => key);
  }

  #rows(): LoopRow[] {
    void this.#catalog.version;
    return [...this.#catalog.cells()].map(({ row }) => row);
  }
}
