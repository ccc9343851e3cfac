import type { LoopDetail, WorkChange } from "../host/bindings";

/**
 * What a loop says with the units of its graph that changed. Everything else stays the same object, and all of it where
 * nothing changed. Null when it is about another graph than this one.
 */
export function changedWork(detail: LoopDetail, { units, totals, batch }: WorkChange): LoopDetail | null {
  const { work } = detail;
  if (work?.of !== "atom") return null;
  if (units.length === 0) return detail;
  const [atoms, places] = [[...detail.atoms], [...work.units]];
  for (const { place, unit, atom } of units) {
    if (atoms[unit.at]?.id !== atom.id || places[place]?.at !== unit.at) return null;
    atoms[unit.at] = atom;
    places[place] = unit;
  }
  return { ...detail, atoms, batch, work: { ...work, units: places, totals } };
}
