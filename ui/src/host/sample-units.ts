import type { AtomState, LoopDetail, UnitStanding, TaskState, WorkUnit, WorkView } from "./bindings";

const OF_ATOMS: Readonly<Record<AtomState, UnitStanding>> = {
  ready: "now",
  in_progress: "now",
  resolved: "done",
  blocked: "open",
  container: "open",
  choose_branch: "open",
  inactive: "idle",
  failed: "idle",
};

const OF_TASKS: Readonly<Record<TaskState, UnitStanding>> = {
  pending: "open",
  in_progress: "now",
  completed: "done",
  failed: "open",
  blocked: "open",
  dropped: "idle",
  other: "open",
};

interface Plain {
  readonly id: string;
  readonly standing: UnitStanding;
  readonly needs: readonly string[];
  readonly parent: string | null;
}

function plainOf({ atoms, tasks }: LoopDetail): Plain[] {
  if (atoms.length === 0) {
    return tasks.map(({ id, state, depends_on }) => ({
      id,
      standing: OF_TASKS[state],
      needs: depends_on,
      parent: null,
    }));
  }
  return atoms.map(({ id, state, depends_on, parent }) => ({
    id,
    standing: OF_ATOMS[state],
    needs: depends_on.map((need) => need.id),
    parent,
  }));
}

/** Who names each, in order. */
function gathered(pairs: readonly (readonly [string, string])[]): Map<string, string[]> {
  const all = new Map<string, string[]>();
  for (const [key, value] of pairs) all.set(key, [...(all.get(key) ?? []), value]);
  return all;
}

/** The units of a sample as one graph: a plain stand-in for the core's, for samples without circles of parents. */
function unitsOf(detail: LoopDetail): WorkView {
  const plain = plainOf(detail);
  const standings = new Map(plain.map(({ id, standing }) => [id, standing]));
  const parents = new Map(plain.map(({ id, parent }) => [id, parent]));
  const neededBy = gathered(plain.flatMap(({ id, needs }) => needs.map((need) => [need, id] as const)));
  const children = gathered(plain.flatMap(({ id, parent }) => (parent ? [[parent, id] as const] : [])));
  const depth = (id: string): number => {
    const parent = parents.get(id);
    return parent ? depth(parent) + 1 : 0;
  };
  const isDone = (id: string) => standings.get(id) === "done";
  const unit = ({ id, standing, needs, parent }: Plain, at: number): WorkUnit => {
    const own = children.get(id) ?? [];
    const split = detail.decompositions.findIndex((one) => one.parent === id);
    const done = detail.decompositions[split]?.done ?? own.filter(isDone).length;
    const total = detail.decompositions[split]?.total ?? own.length;
    return {
      at,
      standing,
      needs:
        detail.atoms.length > 0
          ? []
          : needs.map((need) => ({
              id: need,
              known: standings.has(need),
              satisfied: isDone(need),
              status: standings.get(need) ?? "",
            })),
      needed_by: neededBy.get(id) ?? [],
      parent,
      children: own,
      progress: own.length === 0 ? null : { done, total, finished: isDone(id) || done >= total },
      split: split < 0 ? null : split,
      turns: detail.trail.flatMap((entry) => (entry.selected === id && entry.turn ? [entry.turn] : [])),
      depth: depth(id),
    };
  };
  const count = (standing: UnitStanding) => plain.filter((one) => one.standing === standing).length;
  return {
    of: detail.atoms.length > 0 ? "atom" : "task",
    units: plain.map(unit),
    missing: [...neededBy].filter(([id]) => !standings.has(id)).map(([id, needed_by]) => ({ id, needed_by })),
    totals: { done: count("done"), active: plain.length - count("idle"), idle: count("idle") },
    problems: [],
  };
}

/** A sample with its work as one graph. */
export function withWork(detail: LoopDetail): LoopDetail {
  const { atoms, or_groups, decompositions, tasks } = detail;
  const some =
    atoms.length + or_groups.length + decompositions.length > 0 ||
    tasks.some((task) => task.depends_on.length > 0);
  return { ...detail, work: some ? unitsOf(detail) : null };
}
