import type {
  AtomState,
  AtomView,
  BlockerView,
  DependencyView,
  LoopDetail,
  OrGroupView,
  UnitStanding,
  TaskState,
  TaskView,
  TrailView,
  UnitProgress,
  WorkTotals,
  WorkUnit,
} from "../../../host/bindings";
import { t } from "../../../words/language.svelte";
import { taskStatus } from "../../../words/loop-phrases";

/** What one thing waits for, and how that is. */
export interface Need {
  readonly id: string;
  readonly satisfied: boolean;
  /** What the other one is doing; null when it does not exist. */
  readonly state: AtomState | TaskState | null;
}

/** An atom or a task, joined with everything that the loop says about it. */
export interface WorkNode {
  readonly id: string;
  readonly description: string;
  /** What it is doing: its shape is chosen by this. */
  readonly state: AtomState | TaskState;
  readonly standing: UnitStanding;
  /** The atom itself; nothing for a task. */
  readonly atom: AtomView | null;
  /** The task itself; nothing for an atom. */
  readonly task: TaskView | null;
  readonly needs: readonly Need[];
  /** Ids of those that wait for it. */
  readonly neededBy: readonly string[];
  readonly blockedBy: readonly BlockerView[];
  readonly critical: boolean;
  /** Its place on the critical path, from 1. */
  readonly step: number | null;
  readonly group: string | null;
  /** An existing unit that it is part of. */
  readonly parent: string | null;
  /** Existing units that are part of it. */
  readonly children: readonly string[];
  readonly progress: UnitProgress | null;
  /** Why it was taken apart. */
  readonly reason: string;
  readonly summary: string | null;
  readonly artifacts: readonly string[];
  readonly line: number | null;
  /** Places in the trail at which it was chosen, from 1. */
  readonly turns: readonly number[];
  /** The number of containers around it. */
  readonly depth: number;
}

/** One choice of the trail, with its place there. */
export interface Turn {
  /** From 1, in the order of the file. */
  readonly number: number;
  readonly entry: TrailView;
}

/** The work of a loop as one graph. */
export interface WorkModel {
  /** In file order. */
  readonly nodes: readonly WorkNode[];
  readonly byId: ReadonlyMap<string, WorkNode>;
  readonly groups: ReadonlyMap<string, OrGroupView>;
  readonly turns: readonly Turn[];
  /** Ids that something waits for and that do not exist, with those that wait. */
  readonly missing: ReadonlyMap<string, readonly string[]>;
  readonly totals: WorkTotals;
  /** Ids along the critical path, first to do first. */
  readonly path: readonly string[];
}

/** What atoms and tasks say in their own ways. */
interface Own {
  readonly of: AtomView | TaskView;
  readonly atom: AtomView | null;
  readonly task: TaskView | null;
  readonly needs: readonly DependencyView[];
}

function ownOf(detail: LoopDetail, { at, needs }: WorkUnit): Own | null {
  if (detail.work?.of === "atom") {
    const atom = detail.atoms[at];
    return atom ? { of: atom, atom, task: null, needs: atom.depends_on } : null;
  }
  const task = detail.tasks[at];
  return task ? { of: task, atom: null, task, needs } : null;
}

type Pair = readonly [WorkUnit, Own];

/** Units with what they are units of; what leads nowhere or is there twice is left out. */
function pairsOf(detail: LoopDetail): Map<string, Pair> {
  const pairs = new Map<string, Pair>();
  for (const unit of detail.work?.units ?? []) {
    const own = ownOf(detail, unit);
    if (own && !pairs.has(own.of.id)) pairs.set(own.of.id, [unit, own]);
  }
  return pairs;
}

const NOTHING: WorkTotals = { done: 0, active: 0, idle: 0 };

const looks = new WeakMap<WorkNode, string>();

/** Everything that a unit shows; an atom's texts are in the node, next to these two. */
function lookOf(node: WorkNode): string {
  const known = looks.get(node);
  if (known !== undefined) return known;
  const { atom, task, ...rest } = node;
  const look = JSON.stringify([rest, atom?.status, atom?.ready_to_resolve, task]);
  looks.set(node, look);
  return look;
}

/** What a work was made from. */
const sources = new WeakMap<WorkModel, LoopDetail>();

type StateOf = (id: string) => AtomState | TaskState | null;

/** `step`: its place on the critical path. */
function nodeOf(
  detail: LoopDetail,
  [unit, { of, atom, task, needs }]: Pair,
  stateOf: StateOf,
  step: number | null,
): WorkNode {
  return {
    id: of.id,
    description: of.description,
    state: of.state,
    standing: unit.standing,
    atom,
    task,
    needs: needs.map(({ id, satisfied }) => ({ id, satisfied, state: stateOf(id) })),
    neededBy: unit.needed_by,
    blockedBy: atom?.blocked_by ?? [],
    critical: atom?.on_critical_path ?? false,
    step,
    group: atom?.or_group ?? null,
    parent: unit.parent,
    children: unit.children,
    progress: unit.progress,
    reason: unit.split === null ? "" : (detail.decompositions[unit.split]?.reason ?? ""),
    summary: atom?.summary ?? null,
    artifacts: atom?.artifacts ?? task?.files_changed ?? [],
    line: atom?.line ?? null,
    turns: unit.turns,
    depth: unit.depth,
  };
}

/**
 * The work of a loop as the core sends it, each unit with the texts of its atom or task. A unit
 * without changes since `before` stays the same object: what is drawn from it stays as it is.
 */
export function graphWork(detail: LoopDetail, before?: WorkModel): WorkModel {
  const model = (before && changedWorkOf(detail, before)) ?? wholeWorkOf(detail, before);
  sources.set(model, detail);
  return model;
}

function wholeWorkOf(detail: LoopDetail, before: WorkModel | undefined): WorkModel {
  const pairs = pairsOf(detail);
  const stateOf = (id: string) => pairs.get(id)?.[1].of.state ?? null;
  const path = detail.critical_path.filter((id) => pairs.has(id));
  const steps = new Map(path.map((id, at) => [id, at + 1]));
  const nodes = [...pairs.values()].map((pair) => {
    const { id } = pair[1].of;
    return keptNode(nodeOf(detail, pair, stateOf, steps.get(id) ?? null), before?.byId.get(id));
  });
  return {
    nodes,
    byId: new Map(nodes.map((one) => [one.id, one])),
    groups: new Map(detail.or_groups.map((group) => [group.name, group])),
    turns: detail.trail.flatMap((entry) => (entry.turn === null ? [] : [{ number: entry.turn, entry }])),
    missing: new Map(detail.work?.missing.map(({ id, needed_by }) => [id, needed_by])),
    totals: detail.work?.totals ?? NOTHING,
    path,
  };
}

/** A unit that looks as before is the one from before. */
function keptNode(next: WorkNode, known: WorkNode | undefined): WorkNode {
  return known && lookOf(known) === lookOf(next) ? known : next;
}

/**
 * The same work, where some atoms changed and the rest are the very same objects: a large graph is
 * not rebuilt for each of them. Nothing where more may be different.
 */
function changedWorkOf(detail: LoopDetail, before: WorkModel): WorkModel | null {
  const from = sources.get(before);
  const { work } = detail;
  if (work?.of !== "atom" || !from?.work || from.work.missing !== work.missing) return null;
  const same = from.or_groups === detail.or_groups && from.decompositions === detail.decompositions;
  const units = work.units;
  if (from.critical_path !== detail.critical_path) return null;
  if (!same || from.trail !== detail.trail || from.work.units.length !== units.length) return null;
  if (before.nodes.length !== units.length) return null;
  const changed = new Map<string, Pair>();
  for (const [at, unit] of units.entries()) {
    const atom = detail.atoms[unit.at];
    const own = atom === from.atoms[unit.at] && unit === from.work.units[at] ? null : ownOf(detail, unit);
    if (own && own.of.id !== before.nodes[at]?.id) return null;
    if (own) changed.set(own.of.id, [unit, own]);
  }
  const byId = new Map(before.byId);
  const stateOf = (id: string) => changed.get(id)?.[1].of.state ?? byId.get(id)?.state ?? null;
  const put = (node: WorkNode) => byId.set(node.id, keptNode(node, before.byId.get(node.id)));
  for (const [id, pair] of changed) {
    put(nodeOf(detail, pair, stateOf, before.byId.get(id)?.step ?? null));
    // Who waits for it shows what it does.
    for (const other of pair[0].needed_by) {
      const node = changed.has(other) || before.byId.get(id)?.state === stateOf(id) ? null : byId.get(other);
      if (node) put({ ...node, needs: node.needs.map((need) => ({ ...need, state: stateOf(need.id) })) });
    }
  }
  const nodes = before.nodes.map((node) => byId.get(node.id) ?? node);
  const model = { ...before, nodes, byId, totals: work.totals };
  const shape = wholeShapes.get(before);
  const asBefore = (node: WorkNode, at: number) => {
    const known = before.nodes[at];
    return known === node || (known !== undefined && ownShape(known) === ownShape(node));
  };
  if (shape !== undefined && nodes.every(asBefore)) wholeShapes.set(model, shape);
  return model;
}

const shapes = new WeakMap<WorkNode, string>();

function ownShape(node: WorkNode): string {
  const known = shapes.get(node);
  if (known !== undefined) return known;
  const { id, needs, parent, group } = node;
  const shape = JSON.stringify([id, needs.map((need) => need.id), parent, group]);
  shapes.set(node, shape);
  return shape;
}

const wholeShapes = new WeakMap<WorkModel, string>();

/** What decides where things are drawn; while it stays the same, the drawing does. */
export function unitShape(model: WorkModel): string {
  const known = wholeShapes.get(model);
  if (known !== undefined) return known;
  const shape = model.nodes.map(ownShape).join();
  wholeShapes.set(model, shape);
  return shape;
}

/** More units than this begin with finished containers closed, and still more with deep ones too. */
const SEVERAL = 40;
const MANY = 50;

/** Containers that are closed at first: those of a large graph that are done, or below its second level. */
export function closedAtFirst(model: WorkModel): Set<string> {
  const { length } = model.nodes;
  if (length <= SEVERAL) return new Set();
  const deep = length > MANY ? model.nodes.filter((node) => node.children.length > 0 && node.depth >= 1) : [];
  return new Set([...finished(model), ...deep.map(({ id }) => id)]);
}

/** Containers in which nothing is left to be done. */
export function finished(model: WorkModel): string[] {
  return model.nodes.filter(({ progress }) => progress?.finished).map(({ id }) => id);
}

/** The containers of a unit, from the inside out. */
export function above(model: WorkModel, id: string): string[] {
  const found = new Set<string>();
  let at = model.byId.get(id)?.parent ?? null;
  while (at !== null && !found.has(at)) {
    found.add(at);
    at = model.byId.get(at)?.parent ?? null;
  }
  return [...found];
}

/** What is drawn for a unit: itself, or the outermost closed container that hides it. */
export function shownFor(model: WorkModel, id: string, closed: ReadonlySet<string>): string {
  return above(model, id).findLast((one) => closed.has(one)) ?? id;
}

/** The status in words. */
export function stateText({ atom, task }: Pick<WorkNode, "atom" | "task">): string {
  if (atom) return t.atom[atom.state];
  return task ? taskStatus(task) : t.units.statusNone;
}

/** What a filter of statuses distinguishes: unknown words are all different. */
export function filterOf({ state, task }: WorkNode): string {
  return state === "other" ? `other ${task?.status ?? ""}` : state;
}

/** The status of what something waits for, in words. */
export function needText(model: WorkModel, need: Need): string {
  const other = model.byId.get(need.id);
  return other ? stateText(other) : t.common.doesNotExist;
}
