import type { Direction } from "../../../host/bindings";
import { left } from "../../../state/left";
import type { Camera } from "./camera";
import type { Drawn, Kept } from "./drawing.svelte";
import { above, closedAtFirst, filterOf, finished, type WorkModel, type WorkNode } from "./model";

export type Mode = "graph" | "outline";

/** More units than this begin as an outline. */
const TOO_MANY = 300;
/** Narrower than this, the outline is easier to read. */
const NARROW = 560;

/** How a person looks at the work of one loop. It lasts while the window does. */
export class GraphView implements Kept {
  /** What the person chose for this loop; nothing while what they chose elsewhere or the size decides. */
  chosen: Mode | null = $state(null);
  direction: Direction = $state("right");
  /** What they chose last, wherever it was. */
  readonly #usual: () => Mode | "auto";
  /** Statuses that are shown, as `filterOf` tells them apart; none of them means all. */
  statuses: readonly string[] = $state.raw([]);
  /** Only the critical path is shown in full strength. */
  critical = $state(false);
  /** Containers that are closed; nothing before there was a graph. */
  #closed: ReadonlySet<string> | null = $state.raw(null);
  /** Containers that “Collapse finished” closed. */
  #tidied: ReadonlySet<string> | null = $state.raw(null);
  query = $state("");
  selected: string | null = $state(null);
  /** What is next to the graph. */
  side: "none" | "unit" | "choices" = $state("none");
  camera: Camera | null = null;
  drawn: Drawn | null = null;

  constructor(usual: () => Mode | "auto" = () => "auto", direction: Direction = "right") {
    this.#usual = usual;
    this.direction = direction;
  }

  mode(count: number, width: number): Mode {
    if (this.chosen) return this.chosen;
    // Where nothing is laid out (tests), rows are still worth having.
    if (this.#usual() === "outline" || width < NARROW) return "outline";
    return count > TOO_MANY && this.#usual() === "auto" ? "outline" : "graph";
  }

  closed(model: WorkModel): ReadonlySet<string> {
    return this.#closed ?? closedAtFirst(model);
  }

  toggle(model: WorkModel, id: string): void {
    const next = new Set(this.closed(model));
    if (!next.delete(id)) next.add(id);
    this.#closed = next;
  }

  /** Opens what hides a unit. */
  uncover(model: WorkModel, id: string): void {
    const hiding = above(model, id).filter((one) => this.closed(model).has(one));
    if (hiding.length === 0) return;
    this.#closed = new Set([...this.closed(model)].filter((one) => !hiding.includes(one)));
  }

  showAll(): void {
    this.#closed = new Set();
    this.#tidied = null;
  }

  get tidied(): boolean {
    return this.#tidied !== null;
  }

  /** Closes the containers whose work is done, or opens them again. */
  tidy(model: WorkModel): void {
    const tidied = this.#tidied;
    if (tidied) {
      this.#closed = new Set([...this.closed(model)].filter((one) => !tidied.has(one)));
      this.#tidied = null;
    } else {
      const done = finished(model).filter((one) => !this.closed(model).has(one));
      this.#closed = new Set([...this.closed(model), ...done]);
      this.#tidied = new Set(done);
    }
  }

  get readyOnly(): boolean {
    return this.statuses.length === 1 && this.statuses[0] === "ready";
  }

  toggleReady(): void {
    this.statuses = this.readyOnly ? [] : ["ready"];
  }

  toggleStatus(state: string): void {
    this.statuses = this.statuses.includes(state)
      ? this.statuses.filter((one) => one !== state)
      : [...this.statuses, state];
  }

  get filters(): boolean {
    return this.statuses.length > 0 || this.critical;
  }

  shows(node: WorkNode): boolean {
    return (
      (this.statuses.length === 0 || this.statuses.includes(filterOf(node))) &&
      (!this.critical || node.critical)
    );
  }
}

/** The view of a loop, as it was left. */
export const viewOf = left(({ settings }) => new GraphView(() => settings.workView, settings.workDirection));

/** Units whose id or description has the words, best first: whole ids, then ids, then texts. */
export function found(model: WorkModel, query: string): string[] {
  const wanted = query.trim().toLowerCase();
  if (wanted === "") return [];
  const rank = (node: WorkNode): number => {
    const id = node.id.toLowerCase();
    if (id === wanted) return 0;
    if (id.includes(wanted)) return 1;
    return node.description.toLowerCase().includes(wanted) ? 2 : 3;
  };
  const ranked = model.nodes.map((node) => [rank(node), node.id] as const).filter(([at]) => at < 3);
  return ranked.sort(([a], [b]) => a - b).map(([, id]) => id);
}
