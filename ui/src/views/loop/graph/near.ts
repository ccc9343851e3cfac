import type { Place } from "../../../host/bindings";
import { overlap } from "./camera";
import type { Ghost, Scene, SceneFrame, SceneUnit } from "./scene";

/** How many units a frame of the screen adds in addition to the visible ones. */
const AT_ONCE = 8;

/** What the page has to draw itself. */
export interface Near {
  readonly units: readonly SceneUnit[];
  readonly frames: readonly SceneFrame[];
  readonly ghosts: readonly Ghost[];
  /** There is more around what is seen than was added. */
  readonly more: boolean;
}

export const NOTHING: Near = { units: [], frames: [], ghosts: [], more: false };

/**
 * What the page draws next: everything visible, what it drew before, and a few units around. A
 * frame that adds everything at once is late.
 */
export function nextNear(scene: Scene, before: Near, seen: Place, around: Place): Near {
  let room = AT_ONCE;
  let more = false;
  const take = <T extends { place: Place }>(
    all: readonly T[],
    had: readonly T[],
    name: (one: T) => string,
  ): readonly T[] => {
    const names = new Set(had.map(name));
    const next = all.filter((one) => {
      if (!overlap(one.place, around)) return false;
      if (names.has(name(one)) || overlap(one.place, seen) || room-- > 0) return true;
      more = true;
      return false;
    });
    return same(next, had) ? had : next;
  };
  const frames = take(scene.frames, before.frames, ({ key }) => key);
  const ghosts = take(scene.ghosts, before.ghosts, ({ id }) => id);
  const units = take(scene.units, before.units, ({ node }) => node.id);
  const changed = frames !== before.frames || ghosts !== before.ghosts || units !== before.units;
  return changed || more !== before.more ? { units, frames, ghosts, more } : before;
}

function same<T>(one: readonly T[], other: readonly T[]): boolean {
  return one.length === other.length && one.every((item, at) => item === other[at]);
}
