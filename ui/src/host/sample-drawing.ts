import type { Direction, Drawing, DrawnEdge, DrawnUnit, LoopDetail, Place } from "./bindings";

const WIDTH = 200;
const HEIGHT = 56;
const GAP = 40;

interface Unit {
  readonly id: string;
  readonly after: readonly string[];
}

function unitsOf(detail: LoopDetail): Unit[] {
  if (detail.atoms.length === 0) return detail.tasks.map(({ id, depends_on }) => ({ id, after: depends_on }));
  return detail.atoms.map(({ id, depends_on }) => ({ id, after: depends_on.map((one) => one.id) }));
}

/** One below (or beside) the other: ranks, frames and collapsing are the core's business. */
export function drawn(detail: LoopDetail, direction: Direction): Drawing {
  const down = direction === "down";
  const units = unitsOf(detail).map(({ id }, index): DrawnUnit => {
    const along = index * ((down ? HEIGHT : WIDTH) + GAP);
    return {
      id,
      place: { x: down ? 0 : along, y: down ? along : 0, w: WIDTH, h: HEIGHT },
      collapsed: false,
    };
  });
  const places = new Map(units.map(({ id, place }) => [id, place]));
  const critical = (id: string) => detail.critical_path.includes(id);
  const end = (place: Place) =>
    down ? [place.x + place.w / 2, place.y + place.h] : [place.x + place.w, HEIGHT / 2];
  const begin = (place: Place) => (down ? [place.x + place.w / 2, place.y] : [place.x, HEIGHT / 2]);
  const edges = unitsOf(detail).flatMap(({ id, after }) =>
    after.flatMap((from): DrawnEdge[] => {
      const [above, below] = [places.get(from), places.get(id)];
      if (!above || !below) return [];
      const points = [...end(above), ...begin(below)];
      return [{ from, to: id, points, against: false, critical: critical(from) && critical(id) }];
    }),
  );
  const last = units.at(-1)?.place;
  return {
    units,
    frames: [],
    edges,
    width: last ? last.x + last.w : 0,
    height: last ? last.y + last.h : 0,
  };
}
