import type {
  AtomView,
  BlockerView,
  DependencyView,
  LoopDetail,
  OrGroupView,
  TaskView,
  TrailView,
} from "../../host/bindings";
import { t } from "../../words/language.svelte";
import { wordText } from "../../words/phrases";

/** What one thing waits for, and how that is. */
export interface Need extends DependencyView {
  /** What the other one is doing; null when it does not exist. */
  readonly state: string | null;
}

/** An atom or a task, joined with everything that the loop says about it. */
export interface WorkNode {
  readonly id: string;
  readonly description: string;
  /** What it is doing, as the word that its shape is chosen by. */
  readonly state: string;
  /** The atom itself; nothing for a task. */
  readonly atom: AtomView | null;
  readonly needs: readonly Need[];
  /** Ids of those that wait for it. */
  readonly neededBy: readonly string[];
  readonly blockedBy: readonly BlockerView[];
  readonly critical: boolean;
  readonly group: string | null;
  /** An existing unit that it is part of. */
  readonly parent: string | null;
  /** Existing units that are part of it. */
  readonly children: readonly string[];
  /** How many of its children have done their work; null for what has none. */
  readonly progress: { readonly done: number; readonly total: number } | null;
  /** Why it was taken apart. */
  readonly reason: string;
  readonly summary: string | null;
  readonly artifacts: readonly string[];
  readonly line: number | null;
  /** Places in the trail at which it was chosen, from 1. */
  readonly turns: readonly number[];
  /** In how many containers it lies. */
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
  /** In file order; of several with one id the first. */
  readonly nodes: readonly WorkNode[];
  readonly byId: ReadonlyMap<string, WorkNode>;
  readonly groups: ReadonlyMap<string, OrGroupView>;
  readonly turns: readonly Turn[];
  /** Ids that something waits for and that do not exist, with those that wait. */
  readonly missing: ReadonlyMap<string, readonly string[]>;
}

interface Plain {
  readonly id: string;
  readonly description: string;
  readonly state: string;
  readonly atom: AtomView | null;
  readonly depends_on: readonly DependencyView[];
  readonly parent: string | null;
  readonly artifacts: readonly string[];
}

const DONE: readonly string[] = ["resolved", "completed", "success"];

function ofAtom(atom: AtomView): Plain {
  return { ...atom, atom };
}

function ofTask(task: TaskView, states: ReadonlyMap<string, string>): Plain {
  const depends_on = task.depends_on.map((id) => ({
    id,
    known: states.has(id),
    satisfied: DONE.includes(states.get(id) ?? ""),
    status: states.get(id) ?? "",
  }));
  return {
    id: task.id,
    description: task.description,
    state: task.status,
    atom: null,
    depends_on,
    parent: null,
    artifacts: task.files_changed,
  };
}

function plainOf(detail: LoopDetail): Plain[] {
  const words = new Map(detail.tasks.map(({ id, status }) => [id, status]));
  const all =
    detail.atoms.length > 0 ? detail.atoms.map(ofAtom) : detail.tasks.map((task) => ofTask(task, words));
  const seen = new Set<string>();
  return all.filter(({ id }) => !seen.has(id) && seen.add(id));
}

function gathered<T>(pairs: Iterable<readonly [string, T]>): Map<string, T[]> {
  const all = new Map<string, T[]>();
  for (const [key, value] of pairs) {
    const list = all.get(key);
    if (!list) all.set(key, [value]);
    else if (list.at(-1) !== value) list.push(value);
  }
  return all;
}

/** The parent of each unit, without circles: who lies in a circle has none. */
function parentsOf(plain: readonly Plain[], known: ReadonlySet<string>): Map<string, string> {
  const parents = new Map<string, string>();
  for (const { id, parent } of plain) {
    if (parent === null || parent === id || !known.has(parent)) continue;
    let above: string | undefined = parent;
    while (above !== undefined && above !== id) above = parents.get(above);
    if (above === undefined) parents.set(id, parent);
  }
  return parents;
}

function depthsOf(plain: readonly Plain[], parents: ReadonlyMap<string, string>): Map<string, number> {
  const depths = new Map<string, number>();
  for (const { id } of plain) {
    const path: string[] = [];
    let at: string | undefined = id;
    while (at !== undefined && !depths.has(at)) {
      path.push(at);
      at = parents.get(at);
    }
    let depth = at === undefined ? -1 : (depths.get(at) as number);
    for (const one of path.reverse()) depths.set(one, (depth += 1));
  }
  return depths;
}

/** The work of a loop as one graph: its atoms, or its tasks when it has none. */
export function workOf(detail: LoopDetail): WorkModel {
  const plain = plainOf(detail);
  const states = new Map(plain.map(({ id, state }) => [id, state]));
  const parents = parentsOf(plain, new Set(states.keys()));
  const depths = depthsOf(plain, parents);
  const children = gathered([...parents].map(([id, parent]) => [parent, id] as const));
  const waits = plain.flatMap(({ id, depends_on }) => depends_on.map((need) => [need.id, id] as const));
  const neededBy = gathered(waits);
  const turns = detail.trail
    .filter(({ other }) => other === null)
    .map((entry, at) => ({ number: at + 1, entry }));
  const chosen = gathered(turns.map(({ number, entry }) => [entry.selected, number] as const));
  const splits = new Map(detail.decompositions.map((one) => [one.parent, one]));
  const onPath = new Set(detail.critical_path);
  const nodes = plain.map((one): WorkNode => {
    const split = splits.get(one.id);
    const own = children.get(one.id) ?? [];
    const done = own.filter((id) => DONE.includes(states.get(id) ?? "")).length;
    return {
      id: one.id,
      description: one.description,
      state: one.state,
      atom: one.atom,
      needs: one.depends_on.map((need) => ({ ...need, state: states.get(need.id) ?? null })),
      neededBy: neededBy.get(one.id) ?? [],
      blockedBy: one.atom?.blocked_by ?? [],
      critical: one.atom?.on_critical_path ?? onPath.has(one.id),
      group: one.atom?.or_group ?? null,
      parent: parents.get(one.id) ?? null,
      children: own,
      progress: split
        ? { done: split.done, total: split.total }
        : own.length > 0
          ? { done, total: own.length }
          : null,
      reason: split?.reason ?? "",
      summary: one.atom?.summary ?? null,
      artifacts: one.artifacts,
      line: one.atom?.line ?? null,
      turns: chosen.get(one.id) ?? [],
      depth: depths.get(one.id) ?? 0,
    };
  });
  return {
    nodes,
    byId: new Map(nodes.map((node) => [node.id, node])),
    groups: new Map(detail.or_groups.map((group) => [group.name, group])),
    turns,
    missing: new Map([...neededBy].filter(([id]) => !states.has(id))),
  };
}

/** Whether there is a graph: atoms or what belongs to them, or tasks of which some wait for others. */
export function isGraph({ atoms, or_groups, decompositions, tasks }: LoopDetail): boolean {
  if (atoms.length + or_groups.length + decompositions.length > 0) return true;
  return tasks.some((task) => task.depends_on.length > 0);
}

/** What decides where things are drawn; while it stays the same, the drawing does. */
export function shapeOf(model: WorkModel): string {
  return JSON.stringify(
    model.nodes.map(({ id, needs, parent, group, critical }) => [
      id,
      needs.map((need) => need.id),
      parent,
      group,
      critical,
    ]),
  );
}

/** More units than this begin with deep containers closed. */
export const MANY = 50;

/** Containers that are closed at first: below the second level of a large graph. */
export function closedAtFirst(model: WorkModel): Set<string> {
  if (model.nodes.length <= MANY) return new Set();
  return new Set(
    model.nodes.filter((node) => node.children.length > 0 && node.depth >= 1).map(({ id }) => id),
  );
}

/** Containers whose work is done. */
export function finished(model: WorkModel): string[] {
  const done = ({ progress, state }: WorkNode) =>
    DONE.includes(state) || (progress !== null && progress.done >= progress.total);
  return model.nodes.filter((node) => node.children.length > 0 && done(node)).map(({ id }) => id);
}

/** The containers that a unit lies in, from the inside out. */
export function above(model: WorkModel, id: string): string[] {
  const found: string[] = [];
  let at = model.byId.get(id)?.parent ?? null;
  while (at !== null) {
    found.push(at);
    at = model.byId.get(at)?.parent ?? null;
  }
  return found;
}

/** What is drawn for a unit: itself, or the outermost closed container that hides it. */
export function shownFor(model: WorkModel, id: string, closed: ReadonlySet<string>): string {
  return above(model, id).findLast((one) => closed.has(one)) ?? id;
}

/** The status in words. */
export function stateText(node: Pick<WorkNode, "state" | "atom">): string {
  return node.atom ? t.atom[node.atom.state] : node.state === "" ? t.units.statusNone : wordText(node.state);
}

/** The status of what something waits for, in words. */
export function needText(model: WorkModel, need: Need): string {
  const other = model.byId.get(need.id);
  return other ? stateText(other) : t.work.unknownId;
}

/** The unit that a text speaks of: the first known id in it. */
export function mentioned(model: WorkModel, text: string): string | null {
  return text.split(/[^\p{L}\p{N}_.-]+/u).find((word) => model.byId.has(word)) ?? null;
}
