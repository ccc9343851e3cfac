import type { Place } from "../../../host/bindings";
import type { WorkModel } from "./model";
import type { Scene } from "./scene";

export type Arrow = "ArrowUp" | "ArrowDown" | "ArrowLeft" | "ArrowRight";

export const ARROWS: readonly string[] = ["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight"];

const middle = (place: Place) => ({ x: place.x + place.w / 2, y: place.y + place.h / 2 });

function away(from: Place, to: Place): number {
  const [a, b] = [middle(from), middle(to)];
  return Math.hypot(a.x - b.x, a.y - b.y);
}

function nearest(scene: Scene, from: Place, ids: Iterable<string>): string | null {
  let [best, near]: [string | null, number] = [null, Infinity];
  for (const id of ids) {
    const place = scene.places.get(id);
    if (!place) continue;
    const far = away(from, place);
    if (far < near) [best, near] = [id, far];
  }
  return best;
}

/** The nearest one to a side: the distance ahead counts once, the distance sideways twice. */
function beside(scene: Scene, id: string, from: Place, arrow: Arrow): string | null {
  const here = middle(from);
  let [best, near]: [string | null, number] = [null, Infinity];
  for (const { node, place } of scene.units) {
    if (node.id === id) continue;
    const there = middle(place);
    const [dx, dy] = [there.x - here.x, there.y - here.y];
    const upright = arrow === "ArrowUp" || arrow === "ArrowDown";
    const ahead = (upright ? dy : dx) * (arrow === "ArrowUp" || arrow === "ArrowLeft" ? -1 : 1);
    const off = Math.abs(upright ? dx : dy);
    if (ahead <= 4 || off > ahead * 3) continue;
    if (ahead + 2 * off < near) [best, near] = [node.id, ahead + 2 * off];
  }
  return best;
}

/** Where an arrow leads: along an edge in the direction of the drawing, to a neighbour across it. */
export function walk(scene: Scene, id: string | null, arrow: Arrow): string | null {
  const from = id === null ? undefined : scene.places.get(id);
  if (id === null || !from) return scene.units[0]?.node.id ?? null;
  const [forth, back] = scene.direction === "down" ? ["ArrowDown", "ArrowUp"] : ["ArrowRight", "ArrowLeft"];
  const along = (near: "from" | "to", far: "from" | "to") =>
    nearest(
      scene,
      from,
      scene.edges.filter((edge) => edge[near] === id).map((edge) => edge[far]),
    );
  if (arrow === forth) return along("from", "to") ?? beside(scene, id, from, arrow);
  if (arrow === back) return along("to", "from") ?? beside(scene, id, from, arrow);
  return beside(scene, id, from, arrow);
}

/** `[` goes out to the container, `]` into it. */
export function climb(model: WorkModel, id: string, key: "[" | "]"): string | null {
  const node = model.byId.get(id);
  return (key === "[" ? node?.parent : node?.children[0]) ?? null;
}
