import type { Direction, Drawing, DrawnEdge, DrawnFrame, DrawnUnit, LoopDetail, Place } from "./bindings";

const UNIT = { w: 208, h: 72 };
const COMPACT = { w: 184, h: 36 };
const SIBLINGS = 8;
const HEAD = 28;
const PAD = 12;
const ALONG = 40;
const ACROSS = 24;

interface Unit {
  readonly id: string;
  readonly after: readonly string[];
  readonly parent: string | null;
  readonly group: string | null;
}

/** The content of one frame: units and frames, each by its own name. */
interface Cell {
  readonly name: string;
  readonly frame: { kind: DrawnFrame["kind"]; name: string } | null;
  readonly cells: Cell[];
  place: Place;
}

function unitsOf(detail: LoopDetail): Unit[] {
  const plain = { parent: null, group: null };
  if (detail.atoms.length === 0) {
    return detail.tasks.map(({ id, depends_on }) => ({ id, after: depends_on, ...plain }));
  }
  return detail.atoms.map(({ id, depends_on, parent, or_group }) => ({
    id,
    after: depends_on.map((one) => one.id),
    parent,
    group: or_group,
  }));
}

const cell = (name: string, frame: Cell["frame"] = null): Cell => ({
  name,
  frame,
  cells: [],
  place: { x: 0, y: 0, ...UNIT },
});

/** A simple stand-in for the core's layout: layers by longest path, nothing untangled. */
class Sheet {
  readonly root = cell("");
  readonly cells = new Map<string, Cell>();
  readonly #units: Map<string, Unit>;
  readonly #holder = new Map<string, Cell>();
  readonly #missing = new Set<string>();
  readonly #down: boolean;
  readonly #closed: ReadonlySet<string>;

  constructor(units: readonly Unit[], direction: Direction, closed: ReadonlySet<string>) {
    this.#units = new Map([...units].reverse().map((unit) => [unit.id, unit]));
    for (const unit of units) {
      for (const id of unit.after) if (!this.#units.has(id)) this.#missing.add(id);
    }
    this.#down = direction === "down";
    this.#closed = closed;
    const parents = new Set(units.map((unit) => unit.parent));
    for (const unit of units) this.#put(unit, parents);
    for (const id of this.#missing)
      this.#ghost(
        id,
        units.find((unit) => unit.after.includes(id)),
      );
    this.#size(this.root);
    this.#place(this.root, 0, 0);
  }

  isClosed(id: string): boolean {
    return this.#closed.has(id) && [...this.#units.values()].some((unit) => unit.parent === id);
  }

  /** What does not exist is next to the first one that waits for it. */
  #ghost(id: string, by: Unit | undefined): void {
    const beside = by && this.#holder.get(by.id);
    const holder = beside?.frame?.kind === "one_of" ? this.#holder.get(beside.name) : beside;
    if (!holder) return;
    const own = cell(id);
    this.#units.set(id, { id, after: [], parent: null, group: null });
    this.cells.set(id, own);
    holder.cells.push(own);
    this.#holder.set(id, holder);
  }

  #put(unit: Unit, parents: ReadonlySet<string | null>): Cell | null {
    const made = this.cells.get(unit.id);
    if (made) return made;
    const container = parents.has(unit.id) && !this.#closed.has(unit.id);
    const own = cell(unit.id, container ? { kind: "container", name: unit.id } : null);
    this.cells.set(unit.id, own);
    const above = unit.parent === null ? undefined : this.#units.get(unit.parent);
    let holder: Cell | null = this.root;
    if (above) holder = this.#closed.has(above.id) ? null : this.#put(above, parents);
    if (holder && unit.group !== null) holder = this.#group(unit.group, holder);
    if (!holder) {
      this.cells.delete(unit.id);
      return null;
    }
    holder.cells.push(own);
    this.#holder.set(unit.id, holder);
    return own;
  }

  #group(name: string, holder: Cell): Cell {
    const key = `one_of ${name}`;
    let group = this.cells.get(key);
    if (!group) {
      group = cell(key, { kind: "one_of", name });
      this.cells.set(key, group);
      holder.cells.push(group);
      this.#holder.set(key, holder);
    }
    return group;
  }

  /** Which of these cells contains a unit. */
  #within(id: string, holder: Cell): Cell | undefined {
    let at = this.cells.get(id);
    // Ids are any text, also that of a holder: such a way leads back to itself.
    const passed = new Set<Cell>();
    while (at && !passed.has(at)) {
      passed.add(at);
      const above: Cell | undefined = this.#holder.get(at.name);
      if (above === holder) return at;
      at = above;
    }
    return undefined;
  }

  #idsOf(one: Cell): string[] {
    return [one.name, ...one.cells.flatMap((inner) => this.#idsOf(inner))];
  }

  #layers(holder: Cell): Cell[][] {
    const ranks = new Map<Cell, number>();
    const rank = (one: Cell, path: readonly Cell[]): number => {
      const known = ranks.get(one);
      if (known !== undefined) return known;
      const needs = this.#idsOf(one).flatMap((id) => this.#units.get(id)?.after ?? []);
      const before = needs.flatMap((id) => this.#within(id, holder) ?? []);
      const others = before.filter((other) => other !== one && !path.includes(other));
      const own = Math.max(-1, ...others.map((other) => rank(other, [...path, one]))) + 1;
      ranks.set(one, own);
      return own;
    };
    const layers: Cell[][] = [];
    for (const one of holder.cells) (layers[rank(one, [])] ??= []).push(one);
    // A circle can leave a layer empty.
    return Array.from(layers, (layer) => layer ?? []);
  }

  #size(holder: Cell): void {
    if (holder.cells.length === 0) return;
    for (const inner of holder.cells) this.#size(inner);
    let along = 0;
    let widest = 0;
    for (const layer of this.#layers(holder)) {
      let across = 0;
      let thick = 0;
      const units = layer.filter((one) => !one.frame);
      if (units.length > SIBLINGS) for (const one of units) Object.assign(one.place, COMPACT);
      for (const one of layer) {
        one.place.x = this.#down ? across : along;
        one.place.y = this.#down ? along : across;
        across += (this.#down ? one.place.w : one.place.h) + ACROSS;
        thick = Math.max(thick, this.#down ? one.place.h : one.place.w);
      }
      widest = Math.max(widest, across - ACROSS);
      along += thick + ALONG;
    }
    const [w, h] = this.#down ? [widest, along - ALONG] : [along - ALONG, widest];
    const around = holder.frame ? { w: 2 * PAD, h: 2 * PAD + HEAD } : { w: 0, h: 0 };
    holder.place = { x: 0, y: 0, w: w + around.w, h: h + around.h };
  }

  #place(holder: Cell, x: number, y: number): void {
    const [left, top] = holder.frame ? [x + PAD, y + PAD + HEAD] : [x, y];
    for (const one of holder.cells) {
      one.place.x += left;
      one.place.y += top;
      this.#place(one, one.place.x, one.place.y);
    }
  }

  units(): DrawnUnit[] {
    const ids = [...this.#units.keys()].filter((id) => !this.#missing.has(id)).reverse();
    return [...ids, ...this.#missing].flatMap((id): DrawnUnit[] => {
      const one = this.cells.get(id);
      if (!one || one.frame) return [];
      const [collapsed, compact] = [this.isClosed(id), one.place.h === COMPACT.h];
      return [{ id, place: one.place, collapsed, compact, missing: this.#missing.has(id) }];
    });
  }

  frames(holder: Cell = this.root, depth = 0): DrawnFrame[] {
    return holder.cells.flatMap((one) =>
      one.frame ? [{ ...one.frame, place: one.place, depth }, ...this.frames(one, depth + 1)] : [],
    );
  }

  edge(from: string, to: string): number[] | null {
    const [a, b] = [this.cells.get(from)?.place, this.cells.get(to)?.place];
    if (!a || !b) return null;
    if (this.#down) return [a.x + a.w / 2, a.y + a.h, b.x + b.w / 2, b.y];
    return [a.x + a.w, a.y + a.h / 2, b.x, b.y + b.h / 2];
  }
}

/** The work of a sample as a drawing. */
export function drawn(detail: LoopDetail, direction: Direction, collapsed: readonly string[] = []): Drawing {
  const units = unitsOf(detail);
  const sheet = new Sheet(units, direction, new Set(collapsed));
  const critical = new Set(detail.critical_path);
  const waits = new Map(units.map(({ id, after }) => [id, after]));
  /** Whether one leads to the other along what they wait for. */
  const reaches = (from: string, to: string): boolean => {
    const seen = new Set<string>();
    const open = [from];
    while (open.length > 0) {
      const at = open.pop() as string;
      if (at === to) return true;
      if (seen.has(at)) continue;
      seen.add(at);
      open.push(...(waits.get(at) ?? []));
    }
    return false;
  };
  const edges = units.flatMap(({ id, after }) =>
    after.flatMap((from): DrawnEdge[] => {
      const points = sheet.edge(from, id);
      if (!points) return [];
      const [start, end] = direction === "down" ? [points[1]!, points[3]!] : [points[0]!, points[2]!];
      const against = end <= start;
      const circle = (against || units.length < 100) && reaches(from, id);
      return [{ from, to: id, points, against, circle, critical: critical.has(from) && critical.has(id) }];
    }),
  );
  const { w, h } = sheet.root.place;
  const nothing = units.length === 0;
  return {
    units: sheet.units(),
    frames: sheet.frames(),
    edges,
    width: nothing ? 0 : w,
    height: nothing ? 0 : h,
  };
}
