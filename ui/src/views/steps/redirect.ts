import {
  AOT_FORMS,
  type AotChange,
  type ConstraintPatch,
  type LoopDetail,
  type NewAtom,
  type ObjectivePatch,
  type Refusal,
} from "../../host/bindings";
import { t } from "../../words/language.svelte";
import { baseCaseOf, checkForm, goodChecks, type CheckForm } from "./checks";
import { filled, gaps, isWhole, orNull, twice, type StepForm } from "./form";

export type What = AotChange["what"];
export const WHATS: readonly What[] = [
  "objective",
  "constraints",
  "add_atom",
  "edit_atom",
  "delete_atom",
  "decompose",
  "force_selection",
  "redo",
];

type TextName = Exclude<keyof ObjectivePatch, "base_case">;
type LimitName = keyof ConstraintPatch;
export const TEXTS: readonly TextName[] = ["goal", "background_intent", "deliverables", "definition_of_done"];
export const LIMITS: readonly LimitName[] = ["max_iterations", "max_parallel_agents", "max_stall_count"];
type Texts = Record<TextName, string>;
type Limits = Record<LimitName, number | null>;

/** Means the reason in a preview. */
const PREVIEWED = "preview";

/** Chosen in the list of groups to name another one. */
export const NEW_GROUP = "+";

export interface AtomForm {
  id: string;
  description: string;
  depends_on: string[];
  group: string;
  groupName: string;
}

/** An atom as it is, and as it is to be. */
export interface EditForm {
  id: string;
  description: string;
  depends_on: string[];
  readonly before: { readonly description: string; readonly depends_on: readonly string[] };
}

export interface SplitForm {
  parent: string;
  children: AtomForm[];
}

/** All parts at once, so that going back to another part loses nothing. */
export interface RedirectForm {
  what: What;
  description: string;
  readonly before: Texts & Limits;
  texts: Texts;
  changeChecks: boolean;
  checks: CheckForm;
  limits: Limits;
  atom: AtomForm;
  edit: EditForm;
  remove: string;
  split: SplitForm;
  group: string;
  branch: string;
  redo: string[];
}

export function emptyAtom(): AtomForm {
  return { id: "", description: "", depends_on: [], group: "", groupName: "" };
}

/** The atom `id` with nothing changed yet. */
export function editOf(detail: LoopDetail, id: string): EditForm {
  const atom = detail.atoms.find((one) => one.id === id);
  const description = atom?.description ?? "";
  const depends_on = atom?.depends_on.map((need) => need.id) ?? [];
  return { id, description, depends_on: [...depends_on], before: { description, depends_on } };
}

/** What of an atom differs; nothing for the rest. The order of what it waits for says nothing. */
function editedParts({ description, depends_on, before }: EditForm) {
  const same =
    depends_on.length === before.depends_on.length &&
    depends_on.every((need) => before.depends_on.includes(need));
  return {
    description: description.trim() === before.description.trim() ? null : description.trim(),
    depends_on: same ? null : [...depends_on],
  };
}

function addedAtom(form: AtomForm): NewAtom {
  const group = form.group === NEW_GROUP ? form.groupName : form.group;
  return {
    id: orNull(form.id),
    description: form.description.trim(),
    depends_on: [...form.depends_on],
    or_group: orNull(group),
  };
}

function goodAtom(form: AtomForm): boolean {
  return filled(form.description) && (form.group !== NEW_GROUP || filled(form.groupName));
}

function textsOf(detail: LoopDetail): Texts {
  const {
    goal = "",
    background_intent = "",
    deliverables = "",
    definition_of_done = "",
  } = detail.objective ?? {};
  return { goal, background_intent, deliverables, definition_of_done };
}

function limitsOf(detail: LoopDetail): Limits {
  const {
    max_iterations = null,
    max_parallel_agents = null,
    max_stall_count = null,
  } = detail.objective ?? {};
  return { max_iterations, max_parallel_agents, max_stall_count };
}

/** The new value of each field that differs; nothing for the others. */
function differing<T extends object>(now: T, before: T, clean: (value: T[keyof T]) => T[keyof T] = (v) => v) {
  const entries = (Object.keys(now) as (keyof T)[]).map((key) => {
    const value = clean(now[key]);
    return [key, value === before[key] ? null : value] as const;
  });
  return Object.fromEntries(entries) as { [Key in keyof T]: T[Key] | null };
}

const trimmed = (form: RedirectForm) =>
  differing<Texts>(form.texts, textsIn(form.before), (value) => value.trim());
const textsIn = (all: Texts): Texts => Object.fromEntries(TEXTS.map((key) => [key, all[key]])) as Texts;
const limitsIn = (all: Limits): Limits => Object.fromEntries(LIMITS.map((key) => [key, all[key]])) as Limits;
const newLimits = (form: RedirectForm) => differing<Limits>(form.limits, limitsIn(form.before));
const some = (values: object) => Object.values(values).some((value) => value !== null);

export function objectiveName(key: TextName): string {
  const names = {
    goal: t.fact.goal,
    background_intent: t.common.why,
    deliverables: t.start.fieldName.deliverables,
    definition_of_done: t.fact.definition_of_done,
  };
  return names[key];
}

export function limitName(key: LimitName): string {
  const names = {
    max_iterations: t.fact.max_iterations,
    max_parallel_agents: t.start.fieldName.max_parallel_agents,
    max_stall_count: t.fact.stall_count,
  };
  return names[key];
}

/** Said at the list of what an atom waits for. */
export function isCircle(refusal: Refusal | null): refusal is Refusal {
  return refusal?.code === "would_cycle";
}

export function goodLimit(limit: number | null): limit is number {
  return isWhole(limit, AOT_FORMS.least_limit);
}

function missingPart(form: RedirectForm): string[] {
  switch (form.what) {
    case "objective": {
      const blank = TEXTS.map(
        (key) => [objectiveName(key), filled(form.texts[key]) || !form.before[key]] as const,
      );
      const changed = some(trimmed(form)) || form.changeChecks;
      return [
        ...gaps(...blank, [t.field.checks, !form.changeChecks || goodChecks(form.checks)]),
        ...(changed ? [] : [t.steps.aChange]),
      ];
    }
    case "constraints": {
      const good = LIMITS.map((key) => {
        const same = form.limits[key] === form.before[key];
        return [limitName(key), same || goodLimit(form.limits[key])] as const;
      });
      return [...gaps(...good), ...(some(newLimits(form)) ? [] : [t.steps.aChange])];
    }
    case "add_atom":
      return gaps(
        [t.field.description, filled(form.atom.description)],
        [t.field.groupName, form.atom.group !== NEW_GROUP || filled(form.atom.groupName)],
      );
    case "edit_atom": {
      const { id, description } = form.edit;
      const changed = some(editedParts(form.edit));
      return [
        ...gaps([t.action.atom, filled(id)], [t.field.description, filled(description)]),
        ...(changed ? [] : [t.steps.aChange]),
      ];
    }
    case "delete_atom":
      return gaps([t.action.atom, filled(form.remove)]);
    case "decompose": {
      const { parent, children } = form.split;
      return gaps(
        [t.action.atom, filled(parent)],
        [t.field.children, children.length > 0 && children.every(goodAtom)],
        [t.steps.twice, !twice(children.map((child) => child.id))],
      );
    }
    case "force_selection":
      return gaps([t.field.group, filled(form.group)], [t.field.branch, filled(form.branch)]);
    case "redo":
      return gaps([t.compare.part.atoms, form.redo.length > 0]);
  }
}

/** One reason for both: the correction says why it changed, trail and decomposition why it is so. */
function changeOf(form: RedirectForm, reason: string): AotChange {
  switch (form.what) {
    case "objective": {
      const base_case = form.changeChecks ? baseCaseOf(form.checks) : null;
      return { what: "objective", ...trimmed(form), base_case };
    }
    case "constraints":
      return { what: "constraints", ...newLimits(form) };
    case "add_atom":
      return { what: "add_atom", ...addedAtom(form.atom) };
    case "edit_atom":
      return { what: "edit_atom", id: form.edit.id, ...editedParts(form.edit) };
    case "delete_atom":
      return { what: "delete_atom", id: form.remove };
    case "decompose": {
      const { parent, children } = form.split;
      return { what: "decompose", parent, children: children.map(addedAtom), reason };
    }
    case "force_selection":
      return { what: "force_selection", group: form.group, id: form.branch, reason };
    case "redo":
      return { what: "redo", ids: [...form.redo] };
  }
}

export const redirect: StepForm<RedirectForm> = {
  begin(detail, start) {
    const id = start.id ?? "";
    const group = start.group ?? (detail.or_groups.length === 1 ? (detail.or_groups[0]?.name ?? "") : "");
    return {
      what: start.what ?? "objective",
      description: "",
      before: { ...textsOf(detail), ...limitsOf(detail) },
      texts: textsOf(detail),
      changeChecks: false,
      checks: checkForm(detail.present_checks?.base_case ?? null, detail.present_checks?.lost),
      limits: limitsOf(detail),
      // What is added at an atom waits for it.
      atom: { ...emptyAtom(), depends_on: start.what === "add_atom" && id ? [id] : [] },
      edit: editOf(detail, id),
      remove: id,
      split: { parent: id, children: [emptyAtom(), emptyAtom()] },
      group,
      branch: start.group ? id : "",
      redo: id ? [id] : [],
    };
  },
  missing: (form) => [...missingPart(form), ...gaps([t.redirect.description, filled(form.description)])],
  change: (form) => ({
    kind: "operate",
    operation: {
      format: "aot",
      step: {
        op: "redirect",
        change: changeOf(form, form.description.trim()),
        description: form.description.trim(),
      },
    },
  }),
  // What it would do does not depend on why.
  preview: (form) => (missingPart(form).length === 0 ? changeOf(form, PREVIEWED) : null),
  refusedInPlace: (form, refusal) => isCircle(refusal) && form.what === "edit_atom",
  about: (form) => t.redirect.kinds[form.what],
};
