import type { Component } from "svelte";
import type { LoopDetail, Refusal } from "../../host/bindings";
import type { FormId } from "../../state/dialog";
import { backtrack, fail, plainFields, resolve, startAtoms } from "./aot";
import BacktrackFields from "./BacktrackFields.svelte";
import BeginFields from "./BeginFields.svelte";
import { begin, completeB, completeV2, develop, enter, init, merge, plan, validate, workerDone } from "./ccw";
import CompleteFields from "./CompleteFields.svelte";
import { debug } from "./debug";
import DebugFields from "./DebugFields.svelte";
import DevelopFields from "./DevelopFields.svelte";
import EnterFields from "./EnterFields.svelte";
import FailFields from "./FailFields.svelte";
import type { StepForm } from "./form";
import InitFields from "./InitFields.svelte";
import MergeFields from "./MergeFields.svelte";
import PlanFields from "./PlanFields.svelte";
import { redirect } from "./redirect";
import RedirectFields from "./RedirectFields.svelte";
import ResolveFields from "./ResolveFields.svelte";
import StartAtomsFields from "./StartAtomsFields.svelte";
import { addTask, deleteTask, editTask } from "./task";
import TaskFields from "./TaskFields.svelte";
import ValidateFields from "./ValidateFields.svelte";
import WorkerFields from "./WorkerFields.svelte";

type Fields<F extends object> = Component<
  { form: F; detail: LoopDetail; refusal?: Refusal | null },
  object,
  "form"
>;

/** A form with the fields that edit it; which form it is, only the two of them know. */
export interface Drawn {
  readonly model: StepForm<object>;
  /** Nothing for a step that only needs to be wanted. */
  readonly fields: Fields<object> | null;
}

function drawn<F extends object>(
  model: StepForm<F>,
  fields: Component<{ form: F; detail: LoopDetail }, object, "form"> | Component<{ form: F }, object, "form">,
): Drawn {
  return { model: model as unknown as StepForm<object>, fields: fields as unknown as Fields<object> };
}

export const FORMS: Readonly<Record<FormId, Drawn>> = {
  aot_redirect: drawn(redirect, RedirectFields),
  aot_start_atoms: drawn(startAtoms, StartAtomsFields),
  aot_resolve: drawn(resolve, ResolveFields),
  aot_fail: drawn(fail, FailFields),
  aot_resolve_containers: { model: plainFields("resolve_containers"), fields: null },
  aot_backtrack: drawn(backtrack, BacktrackFields),
  aot_reset_in_progress: { model: plainFields("reset_in_progress"), fields: null },
  aot_complete: { model: plainFields("complete"), fields: null },
  aot_hold: { model: plainFields("hold_for_redirect"), fields: null },
  aot_release_hold: { model: plainFields("release_hold"), fields: null },
  v2_init: drawn(init, InitFields),
  v2_begin: drawn(begin, BeginFields),
  v2_develop: drawn(develop, DevelopFields),
  v2_debug: drawn(debug, DebugFields),
  v2_validate: drawn(validate, ValidateFields),
  v2_complete: drawn(completeV2, CompleteFields),
  b_enter: drawn(enter, EnterFields),
  b_worker_done: drawn(workerDone, WorkerFields),
  b_planned: drawn(plan, PlanFields),
  b_merge: drawn(merge, MergeFields),
  b_complete: drawn(completeB, CompleteFields),
  task_add: drawn(addTask, TaskFields),
  task_edit: drawn(editTask, TaskFields),
  task_delete: { model: deleteTask as unknown as StepForm<object>, fields: null },
};
