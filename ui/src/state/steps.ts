import type { MenuItem } from "../components/menu";
import type {
  AotChange,
  AtomView,
  LoopDetail,
  LoopRow,
  StepCode,
  StepOffer,
  StepSubject,
} from "../host/bindings";
import { t } from "../words/language.svelte";
import { bare, disabledText, refusalText, statusText } from "../words/phrases";
import type { App } from "./app.svelte";
import { clock } from "./clock.svelte";
import type { FormId, FormStart } from "./dialog";

/** The step that the core offers or refuses for a form. */
export function stepOf(form: FormId): StepCode {
  return form === "task_add" || form === "task_edit" || form === "task_delete" ? "edit_tasks" : form;
}

export function stepOffer(detail: LoopDetail | null | undefined, step: StepCode): StepOffer | undefined {
  return detail?.steps.find((offer) => offer.step === step);
}

/** The redirect of an AoT loop. Where it waits for a hold, its form offers that: it can be opened. */
export function redirectOf(steps: readonly StepOffer[]): StepOffer | undefined {
  const redirect = steps.find((offer) => offer.step === "aot_redirect");
  return redirect?.after_hold ? { ...redirect, refusal: null } : redirect;
}

/** The steps that are taken on something, in the order in which it shows them. */
function stepsOn(subject: StepSubject, steps: readonly StepOffer[]): StepOffer[] {
  return steps.filter((offer) => offer.on.includes(subject));
}

/** A label that opens a form: “Redirect…”. */
export function openingLabel(form: FormId): string {
  return `${t.step[form]}…`;
}

/** Why a step is not possible now; nothing when it is. */
export function reasonOf(offer: StepOffer | undefined, row: LoopRow): string | undefined {
  return offer?.refusal ? refusalText(offer.refusal, statusText(row, clock.coarse)) : undefined;
}

/** The same with its step before it: “Redirect: not while the loop is running. Stop it first.” */
export function refusedStep(
  offer: StepOffer | undefined,
  form: StepCode | FormId,
  row: LoopRow,
): string | undefined {
  if (!offer?.refusal) return undefined;
  return disabledText(t.step[form], offer.refusal, statusText(row, clock.coarse));
}

export function stepItem(
  app: App,
  row: LoopRow,
  offer: StepOffer,
  form: FormId,
  start: FormStart = {},
): MenuItem {
  return {
    id: start.what ? `${form}-${start.what}` : form,
    label: openingLabel(form),
    reason: reasonOf(offer, row),
    run: () => app.actions.openStep(row.key, form, start),
  };
}

/** What the driver of the loop would record; a person does it only in its place. */
export function recordOffers(steps: readonly StepOffer[]): StepOffer[] {
  return stepsOn("record", steps);
}

export function recordItems(app: App, row: LoopRow, steps: readonly StepOffer[]): MenuItem[] {
  return recordOffers(steps).map((offer) => stepItem(app, row, offer, offer.step as FormId));
}

/** AoT steps that concern the whole loop, in the order of a round. */
export function wholeLoopItems(app: App, row: LoopRow, steps: readonly StepOffer[]): MenuItem[] {
  return stepsOn("whole", steps).map((offer) => stepItem(app, row, offer, offer.step as FormId));
}

/** What can be done to one atom: what happened to it, and after that how the graph is to change around it. */
export function atomItems(app: App, row: LoopRow, atom: AtomView, steps: readonly StepOffer[]): MenuItem[] {
  const start = startAt(atom);
  const offers = stepsOn(atom.or_group ? "branch" : "atom", steps);
  const items = offers.map((offer) => stepItem(app, row, offer, offer.step as FormId, start));
  const edits = editItems(app, row, atom, steps);
  return items.length > 0
    ? [...items, ...edits.map((item, at) => (at === 0 ? { ...item, apart: true } : item))]
    : edits;
}

const startAt = (atom: AtomView): FormStart => ({
  id: atom.id,
  ...(atom.or_group ? { group: atom.or_group } : {}),
});

/** How a person changes the graph at one atom. Each is a redirect: recorded, and after a hold where the loop runs. */
function editItems(app: App, row: LoopRow, atom: AtomView, steps: readonly StepOffer[]): MenuItem[] {
  const redirect = redirectOf(steps);
  if (!redirect) return [];
  const resolved =
    atom.state === "resolved"
      ? refusalText({ code: "atom_resolved", args: { id: atom.id }, status: null }, "")
      : undefined;
  const item = (what: AotChange["what"], label: string, start: Partial<FormStart> = {}): MenuItem => ({
    ...stepItem(app, row, redirect, "aot_redirect", { ...startAt(atom), ...start, what }),
    label: `${label}…`,
  });
  const open = (one: MenuItem): MenuItem => {
    const reason = one.reason ?? resolved;
    return reason === undefined ? one : { ...one, reason };
  };
  const { kinds } = t.redirect;
  return [
    item("add_atom", t.redirect.addAfter),
    open(item("edit_atom", t.common.edit, { at: "redirect-edit-description" })),
    {
      ...open(item("edit_atom", t.redirect.rewire, { at: "redirect-edit-needs" })),
      id: "aot_redirect-rewire",
    },
    ...(atom.or_group ? [item("force_selection", kinds.force_selection)] : []),
    open(item("decompose", kinds.decompose)),
    item("redo", kinds.redo),
    { ...open(item("delete_atom", bare(t.verb.delete))), danger: true },
  ];
}

/** The graph is edited: at the atom that is selected, or with a first one that waits for nothing. */
export function graphItems(
  app: App,
  row: LoopRow,
  atom: AtomView | null,
  steps: readonly StepOffer[],
): MenuItem[] {
  if (atom) return atomItems(app, row, atom, steps);
  const redirect = redirectOf(steps);
  if (!redirect) return [];
  const all = ["add_atom", "edit_atom", "decompose", "force_selection", "redo", "delete_atom"] as const;
  return all.map((what) => ({
    ...stepItem(app, row, redirect, "aot_redirect", { what }),
    label: `${t.redirect.kinds[what]}…`,
    danger: what === "delete_atom",
  }));
}

/** Entries for the loop's own menu and the palette: the redirect, then what concerns the whole loop. */
export function loopStepItems(app: App, row: LoopRow, steps: readonly StepOffer[]): MenuItem[] {
  const redirect = redirectOf(steps);
  if (!redirect) return [];
  return [stepItem(app, row, redirect, "aot_redirect"), ...wholeLoopItems(app, row, steps)];
}
