import type { Direction, DrawnEdge, Drawing, OrGroupView, Place } from "../../../host/bindings";
import { around } from "./camera";
import { above, shownFor, type WorkModel, type WorkNode } from "./model";

/** A unit on the drawing. */
export interface SceneUnit {
  readonly node: WorkNode;
  readonly place: Place;
  /** A container whose children are not drawn. */
  readonly closed: boolean;
  /** One line only: many are next to it. */
  readonly compact: boolean;
}

/** Something that does not exist, where it would be. */
export interface Ghost {
  readonly id: string;
  readonly place: Place;
  readonly compact: boolean;
}

/** A frame on the drawing: a container or alternatives. */
export interface SceneFrame {
  readonly key: string;
  readonly name: string;
  readonly place: Place;
  readonly depth: number;
  /** The container; nothing for alternatives. */
  readonly node: WorkNode | null;
  /** The alternatives, when the file lists them. */
  readonly group: OrGroupView | null;
}

/** A dependency on the drawing. */
export interface SceneEdge extends DrawnEdge {
  /** Around all of its points. */
  readonly box: Place;
  /** One of its ends is an alternative that is not followed. */
  readonly idle: boolean;
  /** It comes from something that does not exist. */
  readonly ghost: boolean;
}

/** A drawing joined with what the loop says now. */
export interface Scene {
  readonly units: readonly SceneUnit[];
  readonly frames: readonly SceneFrame[];
  readonly edges: readonly SceneEdge[];
  readonly places: ReadonlyMap<string, Place>;
  /** Around the units where the work begins; nothing in an empty drawing. */
  readonly roots: Place | null;
  /** Ids that something waits for and that do not exist. */
  readonly ghosts: readonly Ghost[];
  readonly direction: Direction;
  readonly width: number;
  readonly height: number;
}

export function isIdle(node: WorkNode | undefined): boolean {
  return node?.standing === "idle";
}

/** An alternative that failed is struck out; a task that failed is still to be done. */
export function isStruck(node: WorkNode): boolean {
  return node.atom?.state === "failed";
}

function boxOf(points: readonly number[]): Place {
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  for (let at = 0; at + 1 < points.length; at += 2) {
    left = Math.min(left, points[at] as number);
    right = Math.max(right, points[at] as number);
    top = Math.min(top, points[at + 1] as number);
    bottom = Math.max(bottom, points[at + 1] as number);
  }
  return { x: left - 8, y: top - 8, w: right - left + 16, h: bottom - top + 16 };
}

function samePlace(one: Place, other: Place): boolean {
  return one === other || (one.x === other.x && one.y === other.y && one.w === other.w && one.h === other.h);
}

function sameUnit(one: SceneUnit, other: SceneUnit): boolean {
  return (
    one.node === other.node &&
    one.closed === other.closed &&
    one.compact === other.compact &&
    samePlace(one.place, other.place)
  );
}

function sameEdge(one: SceneEdge, other: SceneEdge): boolean {
  const { points } = other;
  return (
    one.critical === other.critical &&
    one.circle === other.circle &&
    one.against === other.against &&
    one.idle === other.idle &&
    one.ghost === other.ghost &&
    one.points.length === points.length &&
    one.points.every((point, at) => point === points[at])
  );
}

/** What was known and is the same stays the same object. */
function kept<T>(next: T, known: T | undefined, same: (one: T, other: T) => boolean): T {
  return known !== undefined && same(known, next) ? known : next;
}

function edgeKey({ from, to }: { from: string; to: string }): string {
  return JSON.stringify([from, to]);
}

/** What a scene was made from. */
const sources = new WeakMap<Scene, { readonly drawing: Drawing; readonly model: WorkModel }>();

/**
 * Joins a drawing with the work; what the drawing has and the work no longer has is left out. Units and dependencies that
 * look as they did `before` stay the same objects.
 */
export function sceneOf(
  drawing: Drawing,
  model: WorkModel,
  direction: Direction,
  before: Scene | null = null,
): Scene {
  const scene =
    (before && changedScene(drawing, model, before)) ?? wholeScene(drawing, model, direction, before);
  sources.set(scene, { drawing, model });
  return scene;
}

/**
 * The same drawing, where some units changed: a large graph is not joined again for each of them.
 * Nothing where more may be different.
 */
function changedScene(drawing: Drawing, model: WorkModel, before: Scene): Scene | null {
  const from = sources.get(before);
  if (from?.drawing !== drawing || from.model.nodes.length !== model.nodes.length) return null;
  if (from.model.path !== model.path) return null; // which dependencies are critical may be different
  const changed = new Set<string>();
  for (const [at, node] of model.nodes.entries()) {
    const known = from.model.nodes[at];
    if (known?.id !== node.id) return null;
    if (known !== node) changed.add(node.id);
  }
  const nodeOf = (id: string) => model.byId.get(id);
  const units = before.units.map((unit) => {
    const node = changed.has(unit.node.id) ? nodeOf(unit.node.id) : undefined;
    return node ? { ...unit, node } : unit;
  });
  const edges = before.edges.map((edge) => {
    if (!changed.has(edge.from) && !changed.has(edge.to)) return edge;
    return kept({ ...edge, idle: isIdleEdge(edge, model) }, edge, sameEdge);
  });
  const frames = before.frames.map((frame) => {
    const node = frame.node && (nodeOf(frame.node.id) ?? null);
    const group = frame.group && (model.groups.get(frame.name) ?? null);
    return node === frame.node && group === frame.group ? frame : { ...frame, node, group };
  });
  return { ...before, units, edges, frames };
}

/** Whether a dependency belongs to work that is left out. */
function isIdleEdge({ from, to }: DrawnEdge, model: WorkModel): boolean {
  return isIdle(model.byId.get(from)) || isIdle(model.byId.get(to));
}

function wholeScene(drawing: Drawing, model: WorkModel, direction: Direction, before: Scene | null): Scene {
  const knownUnits = new Map(before?.units.map((unit) => [unit.node.id, unit]));
  const knownEdges = new Map(before?.edges.map((edge) => [edgeKey(edge), edge]));
  const units = drawing.units.flatMap(({ id, place, collapsed, compact }): SceneUnit[] => {
    const node = model.byId.get(id);
    return node ? [kept({ node, place, closed: collapsed, compact }, knownUnits.get(id), sameUnit)] : [];
  });
  const ghosts = drawing.units.filter(({ id, missing }) => missing && !model.byId.has(id));
  const frames = drawing.frames.map(({ kind, name, place, depth }): SceneFrame => {
    const container = kind === "container";
    return {
      key: `${kind} ${name}`,
      name,
      place,
      depth,
      node: container ? (model.byId.get(name) ?? null) : null,
      group: container ? null : (model.groups.get(name) ?? null),
    };
  });
  const missing = new Set(ghosts.map(({ id }) => id));
  const path = pathEdges(drawing, model);
  const edges = drawing.edges.map((edge): SceneEdge => {
    const next = {
      ...edge,
      critical: path.has(edgeKey(edge)),
      idle: isIdleEdge(edge, model),
      ghost: missing.has(edge.from),
      box: boxOf(edge.points),
    };
    return kept(next, knownEdges.get(edgeKey(edge)), sameEdge);
  });
  const places = new Map(units.map(({ node, place }) => [node.id, place]));
  for (const { node, place } of frames) if (node) places.set(node.id, place);
  const { width, height } = drawing;
  const roots = rootsOf(drawing, direction);
  return { units, frames, ghosts, edges, places, roots, direction, width, height };
}

/** Around the units of the first layer. */
function rootsOf({ units }: Drawing, direction: Direction): Place | null {
  const along = ({ place }: { place: Place }) => (direction === "down" ? place.y : place.x);
  const begin = Math.min(...units.map(along));
  return around(units.filter((unit) => along(unit) === begin).map(({ place }) => place));
}

function contains(place: Place, x: number, y: number): boolean {
  return x >= place.x && x <= place.x + place.w && y >= place.y && y <= place.y + place.h;
}

/** Height of a frame's head, as the core draws it. */
export const HEAD = 28;

/** The unit or the head of a container at a point. */
export function hit(scene: Scene, x: number, y: number): string | null {
  const unit = scene.units.find(({ place }) => contains(place, x, y));
  if (unit) return unit.node.id;
  const head = ({ node, place }: SceneFrame) => node !== null && contains({ ...place, h: HEAD }, x, y);
  return scene.frames.findLast(head)?.node?.id ?? null;
}

function distance(px: number, py: number, ax: number, ay: number, bx: number, by: number): number {
  const [dx, dy] = [bx - ax, by - ay];
  const length = dx * dx + dy * dy;
  const along = length === 0 ? 0 : Math.min(1, Math.max(0, ((px - ax) * dx + (py - ay) * dy) / length));
  return Math.hypot(px - ax - along * dx, py - ay - along * dy);
}

/** The dependency near a point, within `reach`. */
export function edgeAt(scene: Scene, x: number, y: number, reach: number): SceneEdge | null {
  let [best, near]: [SceneEdge | null, number] = [null, reach];
  for (const edge of scene.edges) {
    const { box } = edge;
    if (x < box.x - reach || x > box.x + box.w + reach || y < box.y - reach || y > box.y + box.h + reach)
      continue;
    const line = curveOf(edge.points, scene.direction).flatMap(flattened);
    for (let at = 0; at + 3 < line.length; at += 2) {
      const far = distance(x, y, line[at]!, line[at + 1]!, line[at + 2]!, line[at + 3]!);
      if (far < near) [best, near] = [edge, far];
    }
  }
  return best;
}

/** A part of a line: from, two handles, to. */
type Curve = readonly [number, number, number, number, number, number, number, number];

/** The bends of an edge as soft curves that leave and arrive along the direction of the drawing. */
export function curveOf(points: readonly number[], direction: Direction): Curve[] {
  const curves: Curve[] = [];
  for (let at = 0; at + 3 < points.length; at += 2) {
    const [ax, ay, bx, by] = [points[at]!, points[at + 1]!, points[at + 2]!, points[at + 3]!];
    if (direction === "down") {
      const middle = (ay + by) / 2;
      curves.push([ax, ay, ax, middle, bx, middle, bx, by]);
    } else {
      const middle = (ax + bx) / 2;
      curves.push([ax, ay, middle, ay, middle, by, bx, by]);
    }
  }
  return curves;
}

const PIECES = 8;

function flattened([ax, ay, px, py, qx, qy, bx, by]: Curve): number[] {
  return Array.from({ length: PIECES + 1 }, (_, step) => {
    const s = step / PIECES;
    const r = 1 - s;
    const [a, p, q, b] = [r * r * r, 3 * r * r * s, 3 * r * s * s, s * s * s];
    return [a * ax + p * px + q * qx + b * bx, a * ay + p * py + q * qy + b * by];
  }).flat();
}

/**
 * Where a large graph is entered: at the selected unit, or at all that is in progress, or could be, with what it depends on
 * and what waits for it.
 */
export function entriesOf({ places, units, edges }: Scene, selected: string | null): readonly Place[] {
  const chosen = places.get(selected ?? "");
  if (chosen) return [chosen];
  const doing = units.filter(({ node }) => node.state === "in_progress");
  const next = doing.length > 0 ? doing : units.filter(({ node }) => node.standing === "now");
  const ids = new Set((next.length > 0 ? next : units.slice(0, 1)).map(({ node }) => node.id));
  const beside = edges.flatMap(({ from, to }) => (ids.has(from) ? [to] : ids.has(to) ? [from] : []));
  return [...new Set([...ids, ...beside])].flatMap((id) => places.get(id) ?? []);
}

/** Around the units of the critical path that are drawn. */
export function pathPlace(scene: Scene, model: WorkModel, closed: ReadonlySet<string>): Place | null {
  const drawn = new Set(model.path.map((id) => shownFor(model, id, closed)));
  return around([...drawn].flatMap((id) => scene.places.get(id) ?? []));
}

/**
 * The dependencies that the critical path takes. A step can lead out of a container or into one: then it is the container's
 * dependency, of several the innermost.
 */
function pathEdges(drawing: Drawing, model: WorkModel): ReadonlySet<string> {
  const drawn = new Set(drawing.edges.map(edgeKey));
  const taken = new Set<string>();
  model.path.slice(1).forEach((to, at) => {
    const from = model.path[at] as string;
    const [ends, begins] = [
      [to, ...above(model, to)],
      [from, ...above(model, from)],
    ];
    const pairs = begins.flatMap((one) => ends.map((other) => edgeKey({ from: one, to: other })));
    const pair = pairs.find((key) => drawn.has(key));
    if (pair !== undefined) taken.add(pair);
  });
  return taken;
}

/**
 * Where what is painted looks unlike the scene before it: places in the drawing; nothing when everything may look unlike it.
 * Units and what is missing count only where they are `painted`: near by they are elements of the page.
 */
export function changedIn(next: Scene, before: Scene, painted: boolean): Place[] | null {
  const same =
    next.direction === before.direction && next.width === before.width && next.height === before.height;
  if (!same) return null;
  const places = ({ place }: { readonly place: Place }) => place;
  const units = painted ? apart(next.units, before.units).map(places) : [];
  const ghosts = painted ? apart(next.ghosts, before.ghosts).map(places) : [];
  const frames = apart(next.frames, before.frames).map(places);
  const edges = apart(next.edges, before.edges).map(({ box }) => box);
  return [...units, ...ghosts, ...frames, ...edges];
}

/** What only one of two lists has, or another place in it. */
function apart<T>(next: readonly T[], before: readonly T[]): T[] {
  if (next.length === before.length) {
    return next.flatMap((one, at) => (one === before[at] ? [] : [one, before[at] as T]));
  }
  const [old, now] = [new Set(before), new Set(next)];
  return [...next.filter((one) => !old.has(one)), ...before.filter((one) => !now.has(one))];
}
