import {
  AOT_FORMS,
  type AotChange,
  type ConstraintPatch,
  type LoopDetail,
  type NewAtom,
  type ObjectivePatch,
} from "../../host/bindings";
import { t } from "../../words/language.svelte";
import { baseCaseOf, checkForm, goodChecks, type CheckForm } from "./checks";
import { filled, gaps, isWhole, orNull, type StepForm } from "./form";

export type What = AotChange["what"];
export const WHATS: readonly What[] = [
  "objective",
  "constraints",
  "add_atom",
  "delete_atom",
  "force_selection",
  "redo",
];

type TextName = Exclude<keyof ObjectivePatch, "base_case">;
type LimitName = keyof ConstraintPatch;
export const TEXTS: readonly TextName[] = ["goal", "background_intent", "deliverables", "definition_of_done"];
export const LIMITS: readonly LimitName[] = ["max_iterations", "max_parallel_agents", "max_stall_count"];
type Texts = Record<TextName, string>;
type Limits = Record<LimitName, number | null>;

/** Chosen in the list of groups to name another one. */
export const NEW_GROUP = "+";

export interface AtomForm {
  id: string;
  description: string;
  depends_on: string[];
  group: string;
  groupName: string;
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
  remove: string;
  group: string;
  branch: string;
  redo: string[];
}

export function emptyAtom(): AtomForm {
  return { id: "", description: "", depends_on: [], group: "", groupName: "" };
}

export function newAtom(form: AtomForm): NewAtom {
  const group = form.group === NEW_GROUP ? form.groupName : form.group;
  return {
    id: orNull(form.id),
    description: form.description.trim(),
    depends_on: [...form.depends_on],
    or_group: orNull(group),
  };
}

export function goodAtom(form: AtomForm): boolean {
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
    goal: t.overview.goal,
    background_intent: t.overview.background,
    deliverables: t.overview.deliverables,
    definition_of_done: t.overview.definitionOfDone,
  };
  return names[key];
}

export function limitName(key: LimitName): string {
  const names = {
    max_iterations: t.field.maxIterations,
    max_parallel_agents: t.field.maxAgents,
    max_stall_count: t.field.maxStalls,
  };
  return names[key];
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
    case "delete_atom":
      return gaps([t.field.atom, filled(form.remove)]);
    case "force_selection":
      return gaps([t.field.group, filled(form.group)], [t.field.branch, filled(form.branch)]);
    case "redo":
      return gaps([t.field.atoms, form.redo.length > 0]);
  }
}

function changeOf(form: RedirectForm): AotChange {
  switch (form.what) {
    case "objective": {
      const base_case = form.changeChecks ? baseCaseOf(form.checks) : null;
      return { what: "objective", ...trimmed(form), base_case };
    }
    case "constraints":
      return { what: "constraints", ...newLimits(form) };
    case "add_atom":
      return { what: "add_atom", ...newAtom(form.atom) };
    case "delete_atom":
      return { what: "delete_atom", id: form.remove };
    case "force_selection":
      // One reason for both: the trail says why this branch, the correction says why it changed.
      return { what: "force_selection", group: form.group, id: form.branch, reason: form.description.trim() };
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
      atom: emptyAtom(),
      remove: id,
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
      step: { op: "redirect", change: changeOf(form), description: form.description.trim() },
    },
  }),
  about: (form) => t.redirect.kinds[form.what],
};
