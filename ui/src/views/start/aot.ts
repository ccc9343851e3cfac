import {
  AOT_FORMS,
  type AotWork,
  type DraftedWork,
  type FormProblem,
  type NewAtom,
  type NewTask,
} from "../../host/bindings";
import { isWhole } from "../steps/form";

/** What only a new AoT loop has, with every field there: what a form edits. */
export type AotForm = Required<AotWork>;

export function fullAot(work: AotWork = {}): AotForm {
  return {
    background_intent: "",
    deliverables: "",
    definition_of_done: "",
    in_scope: [],
    out_of_scope: [],
    atoms: [],
    max_parallel_agents: null,
    max_stall_count: null,
    ...work,
  };
}

/** Texts of the objective besides the goal, in the order of the page. */
export const AOT_TEXTS = ["background_intent", "deliverables", "definition_of_done"] as const;
export const AOT_LISTS = ["in_scope", "out_of_scope"] as const;
export const AOT_LIMITS = ["max_parallel_agents", "max_stall_count"] as const;

export function goodAotLimit(limit: number | null): boolean {
  return limit === null || isWhole(limit, AOT_FORMS.least_limit, 1_000_000);
}

/** As it is asked for. */
export function sentAot(work: AotForm): AotForm {
  const limit = (one: number | null) => (goodAotLimit(one) ? one : null);
  const lines = (list: readonly string[]) => list.map((one) => one.trim()).filter((one) => one !== "");
  return {
    background_intent: work.background_intent.trim(),
    deliverables: work.deliverables.trim(),
    definition_of_done: work.definition_of_done.trim(),
    in_scope: lines(work.in_scope),
    out_of_scope: lines(work.out_of_scope),
    atoms: work.atoms.map((atom) => ({
      ...atom,
      description: atom.description.trim(),
      or_group: atom.or_group?.trim() || null,
    })),
    max_parallel_agents: limit(work.max_parallel_agents),
    max_stall_count: limit(work.max_stall_count),
  };
}

/** Numbers that cannot be sent. */
export function aotProblems(work: AotForm): FormProblem[] {
  return AOT_LIMITS.filter((limit) => !goodAotLimit(work[limit])).map((field) => ({
    field,
    code: "out_of_range",
    args: {},
    blocks: true,
  }));
}

// ---- atoms

/** The id for one more atom: above all existing ones, so that none is reused while the person types. */
export function nextId(atoms: readonly NewAtom[]): string {
  const numbers = atoms.map(({ id }) => Number(/^A(\d{1,9})$/.exec(id ?? "")?.[1] ?? 0));
  return `A${Math.max(0, ...numbers) + 1}`;
}

export function newAtomForm(atoms: readonly NewAtom[], description = ""): NewAtom {
  return { id: nextId(atoms), description, depends_on: [], or_group: null };
}

/** Atoms as the form edits them: each has an id. */
export function withIds(atoms: readonly NewAtom[]): NewAtom[] {
  const all = [...atoms];
  all.forEach((atom, at) => {
    if ((atom.id ?? "").trim() === "") all[at] = { ...atom, id: nextId(all) };
  });
  return all;
}

/** Known tasks as atoms. */
export function atomsOf(tasks: readonly NewTask[]): NewAtom[] {
  const atoms: NewAtom[] = [];
  for (const { description } of tasks) {
    if (description.trim() !== "") atoms.push(newAtomForm(atoms, description));
  }
  return atoms;
}

/** Takes an atom out, and whatever waited for it no longer does. */
export function removeAtom(atoms: NewAtom[], index: number): void {
  const [gone] = atoms.splice(index, 1);
  if (!gone || atoms.some(({ id }) => id === gone.id)) return;
  for (const atom of atoms) {
    if (atom.depends_on.includes(gone.id ?? ""))
      atom.depends_on = atom.depends_on.filter((id) => id !== gone.id);
  }
}

/** The groups that atoms name, each once. */
export function atomGroups(atoms: readonly NewAtom[]): string[] {
  return [...new Set(atoms.map(({ or_group }) => (or_group ?? "").trim()).filter((name) => name !== ""))];
}

/** Which place an atom has in its group, from 1; nothing outside of groups. */
export function choiceOf(atoms: readonly NewAtom[], index: number): number | null {
  const name = atoms[index]?.or_group?.trim() ?? "";
  if (name === "") return null;
  return atoms.slice(0, index + 1).filter(({ or_group }) => or_group?.trim() === name).length;
}

/** What decides where atoms are drawn, and what they say. */
export function drawnOf(atoms: readonly NewAtom[]): string {
  return JSON.stringify(atoms);
}

export function isDrawn(drafted: DraftedWork | null): drafted is DraftedWork {
  return drafted !== null && drafted.drawing.units.length + drafted.drawing.frames.length > 0;
}
