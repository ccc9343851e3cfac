import type { AotStep, LoopChange } from "../../host/bindings";
import { t } from "../../words/language.svelte";
import { filled, gaps, distinctLines, type StepForm } from "./form";

function aot(step: AotStep): LoopChange {
  return { kind: "operate", operation: { format: "aot", step } };
}

export interface ResolveForm {
  id: string;
  summary: string;
  artifacts: string;
}

export const resolve: StepForm<ResolveForm> = {
  begin: (_, start) => ({ id: start.id ?? "", summary: "", artifacts: "" }),
  missing: (form) => gaps([t.action.atom, filled(form.id)], [t.common.result, filled(form.summary)]),
  change: ({ id, summary, artifacts }) =>
    aot({ op: "resolve", id, summary: summary.trim(), artifacts: distinctLines(artifacts) }),
  about: (form) => form.id,
};

export interface OneAtomForm {
  id: string;
}

export const fail: StepForm<OneAtomForm> = {
  begin: (_, start) => ({ id: start.id ?? "" }),
  missing: (form) => gaps([t.action.atom, filled(form.id)]),
  change: ({ id }) => aot({ op: "fail", id }),
  about: (form) => form.id,
};

export interface BacktrackForm {
  id: string;
  why: string;
}

export const backtrack: StepForm<BacktrackForm> = {
  begin: (_, start) => ({ id: start.id ?? "", why: "" }),
  missing: (form) => gaps([t.action.atom, filled(form.id)], [t.field.why, filled(form.why)]),
  change: ({ id, why }) => aot({ op: "backtrack", id, why: why.trim() }),
  about: (form) => form.id,
};

export interface StartAtomsForm {
  ids: string[];
}

export const startAtoms: StepForm<StartAtomsForm> = {
  begin: (detail) => ({ ids: [...detail.batch] }),
  missing: (form) => gaps([t.compare.part.atoms, form.ids.length > 0]),
  change: ({ ids }) => aot({ op: "start_atoms", ids: [...ids] }),
  about: (form) => form.ids.join(t.units.listSeparator),
};

/** A step that only needs to be wanted. */
export function plainFields(
  op: "resolve_containers" | "reset_in_progress" | "complete" | "hold_for_redirect" | "release_hold",
): StepForm<object> {
  return { begin: () => ({}), missing: () => [], change: () => aot({ op }) };
}
