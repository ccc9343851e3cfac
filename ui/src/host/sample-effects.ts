import type {
  AotAtomName,
  AotChange,
  AotEffects,
  AtomView,
  Failure,
  LoopDetail,
  RefusalCode,
} from "./bindings";

/*
 * Just enough of the core's preview to draw it over a browser's sample data. The real rules live in the core; nothing
 * outside src/host/ may look in here.
 */

const NONE: AotEffects = {
  texts: [],
  checks: false,
  limits: [],
  added: [],
  deleted: [],
  edited: [],
  decomposed: [],
  rejoined: [],
  selections: [],
  interrupted: [],
  reset: [],
  reopened: [],
  discarded: [],
  trail: [],
  ready: [],
  waiting: [],
  stall_forgiven: false,
  ends_hold: false,
};

function refused(code: RefusalCode, args: Record<string, string>): Failure {
  return { kind: "refused", args: {}, refusal: { code, args, status: null } };
}

const nameOf = ({ id, description }: AtomView): AotAtomName => ({ id, description });

/** All that was built on `ids`, themselves included. */
function builtOn(atoms: readonly AtomView[], ids: readonly string[]): Set<string> {
  const found = new Set(ids);
  for (let size = 0; size !== found.size;) {
    size = found.size;
    for (const atom of atoms) {
      const needs = [...atom.depends_on.map(({ id }) => id), ...atom.children];
      if (needs.some((need) => found.has(need))) found.add(atom.id);
    }
  }
  return found;
}

function redone({ atoms, trail }: LoopDetail, ids: readonly string[]): Partial<AotEffects> {
  const again = builtOn(atoms, ids);
  const touched = atoms.filter(({ id }) => again.has(id));
  const done = touched.filter(({ status }) => status === "resolved");
  return {
    reset: done.map((atom) => ({ atom: nameOf(atom), cascaded: !ids.includes(atom.id) })),
    discarded: touched.flatMap(({ id, summary }) => (summary === null ? [] : [{ id, summary }])),
    trail: trail
      .filter(({ or_group }) => touched.some((atom) => atom.or_group === or_group))
      .map(({ or_group, selected, reason }) => ({ group: or_group, selected, reason })),
    stall_forgiven: true,
  };
}

function rewired({ atoms }: LoopDetail, id: string, wanted: readonly string[]): Partial<AotEffects> {
  const atom = atoms.find((one) => one.id === id);
  if (!atom) throw refused("unknown_atom", { id });
  const before = atom.depends_on.map((need) => need.id);
  const circle = wanted.find((need) => builtOn(atoms, [id]).has(need));
  if (circle !== undefined) throw refused("would_cycle", { cycle: `${id} -> ${circle} -> ${id}` });
  const needs = wanted.filter((need) => !before.includes(need));
  const no_longer_needs = before.filter((need) => !wanted.includes(need));
  return {
    edited: [{ atom: nameOf(atom), description: null, needs, no_longer_needs }],
    stall_forgiven: true,
  };
}

function partly(detail: LoopDetail, change: AotChange): Partial<AotEffects> {
  const named = (id: string) => detail.atoms.filter((atom) => atom.id === id).map(nameOf);
  const trail = detail.trail.map(({ or_group, selected, reason }) => ({ group: or_group, selected, reason }));
  switch (change.what) {
    case "objective": {
      const { goal } = change;
      const before = detail.objective?.goal ?? "";
      const texts = goal === null ? [] : [{ field: "goal" as const, before, after: goal }];
      return { texts, checks: change.base_case !== null, trail };
    }
    case "constraints": {
      const { max_iterations: after } = change;
      const before = detail.objective?.max_iterations ?? 0;
      return { limits: after === null ? [] : [{ limit: "max_iterations", before, after }] };
    }
    case "add_atom":
      return { added: [{ id: change.id ?? "A8", description: change.description }], stall_forgiven: true };
    case "delete_atom":
      return { deleted: named(change.id), stall_forgiven: true };
    case "edit_atom":
      return change.depends_on
        ? rewired(detail, change.id, change.depends_on)
        : {
            edited: named(change.id).map((atom) => ({
              atom,
              description: change.description,
              needs: [],
              no_longer_needs: [],
            })),
            stall_forgiven: true,
          };
    case "decompose": {
      const added = change.children.map(({ description }, index) => ({ id: `A${8 + index}`, description }));
      const children = added.map(({ id }) => id);
      return {
        added,
        decomposed: named(change.parent).map((atom) => ({ atom, children })),
        stall_forgiven: true,
      };
    }
    case "force_selection": {
      const before = detail.or_groups.find(({ name }) => name === change.group)?.selected ?? null;
      return {
        selections: [{ group: change.group, before, after: change.id, cleared: [] }],
        stall_forgiven: true,
      };
    }
    case "redo":
      return redone(detail, change.ids);
  }
}

/** What the sample says that a redirect would do. */
export function sampleEffects(detail: LoopDetail, change: AotChange): AotEffects {
  const interrupted = detail.atoms.filter(({ status }) => status === "in_progress").map(nameOf);
  return { ...NONE, interrupted, ...partly(detail, change) };
}
