import {
  LOOP_B_FORMS,
  LOOP_V2_FORMS,
  type Beginning,
  type CountedTests,
  type InitMode,
  type LoopBPhase,
  type LoopBStep,
  type LoopChange,
  type LoopV2Step,
  type WorkerOutput,
  type WorkerReport,
} from "../../host/bindings";
import { t } from "../../words/language.svelte";
import { filled, gaps, isWhole, distinctLines, orNull, type StepForm } from "./form";
import { goodPlan, nextPlanned, openFirst, planned, type PlannedForm } from "./planned";

function v2(step: LoopV2Step): LoopChange {
  return { kind: "operate", operation: { format: "loop_v2", step } };
}
function loopB(step: LoopBStep): LoopChange {
  return { kind: "operate", operation: { format: "loop_b", step } };
}

export interface InitForm {
  mode: InitMode;
  tasks: PlannedForm[];
}

export const init: StepForm<InitForm> = {
  begin: () => ({ mode: LOOP_V2_FORMS.modes[0], tasks: [nextPlanned([], LOOP_V2_FORMS.task_id)] }),
  missing: (form) => gaps([t.fact.total_tasks, goodPlan(form.tasks)]),
  change: ({ mode, tasks }) => v2({ op: "init", mode, tasks: tasks.map(planned) }),
};

export const BEGINNINGS: readonly Beginning["action"][] = ["develop", "debug", "validate"];

export interface BeginForm {
  action: Beginning["action"];
  task: string;
}

export const begin: StepForm<BeginForm> = {
  begin: (detail) => ({ action: "develop", task: openFirst(detail)[0]?.id ?? "" }),
  missing: (form) => gaps([t.fact.task_description, form.action !== "develop" || filled(form.task)]),
  change: ({ action, task }) =>
    v2({ op: "begin", beginning: action === "develop" ? { action, task_id: task } : { action } }),
  about: (form) => t.action[form.action],
};

export interface DevelopForm {
  task: string;
  failed: boolean;
  summary: string;
  files: string;
  failure: string;
}

export const develop: StepForm<DevelopForm> = {
  begin: (detail) => ({
    task: openFirst(detail)[0]?.id ?? "",
    failed: false,
    summary: "",
    files: "",
    failure: "",
  }),
  missing: (form) =>
    gaps(
      [t.fact.task_description, filled(form.task)],
      [t.common.result, filled(form.summary)],
      [t.field.why, !form.failed || filled(form.failure)],
    ),
  change: (form) =>
    v2({
      op: "develop",
      task_id: form.task,
      summary: form.summary.trim(),
      files_changed: distinctLines(form.files),
      failure: form.failed ? form.failure.trim() : null,
    }),
  about: (form) => form.task,
};

export interface ValidateForm {
  passed: number | null;
  failed: number | null;
  skipped: number | null;
  names: string;
  coverage: number | null;
  seconds: number | null;
}

export function testSum(form: ValidateForm): number {
  return (form.passed ?? 0) + (form.failed ?? 0) + (form.skipped ?? 0);
}

function countedOf(form: ValidateForm): CountedTests {
  return {
    passed: form.passed ?? 0,
    failed: form.failed ?? 0,
    skipped: form.skipped ?? 0,
    failed_names: distinctLines(form.names),
    seconds: form.seconds,
    coverage: form.coverage,
  };
}

const share = (value: number | null) => value === null || (value >= 0 && value <= 100);

export const validate: StepForm<ValidateForm> = {
  begin: () => ({ passed: null, failed: 0, skipped: 0, names: "", coverage: null, seconds: null }),
  missing: (form) =>
    gaps(
      [t.fact.passed, isWhole(form.passed, 0)],
      [t.word.failed, isWhole(form.failed, 0)],
      [t.word.skipped, isWhole(form.skipped, 0)],
      [t.field.coverage, share(form.coverage)],
      [t.field.seconds, form.seconds === null || form.seconds >= 0],
    ),
  change: (form) => v2({ op: "tested", ...countedOf(form) }),
};

export interface CompleteForm {
  executive: string;
  recommendations: string;
}

function complete(
  write: (step: Extract<LoopV2Step, { op: "complete" }>) => LoopChange,
): StepForm<CompleteForm> {
  return {
    begin: () => ({ executive: "", recommendations: "" }),
    missing: (form) => gaps([t.field.executive, filled(form.executive)]),
    change: (form) =>
      write({
        op: "complete",
        executive: form.executive.trim(),
        recommendations: distinctLines(form.recommendations),
      }),
  };
}

export const completeV2 = complete(v2);
export const completeB = complete(loopB);

// ---- Loop-B

export interface EnterForm {
  phase: LoopBPhase;
}

export const enter: StepForm<EnterForm> = {
  begin: () => ({ phase: LOOP_B_FORMS.first_action }),
  missing: () => [],
  change: ({ phase }) => loopB({ op: "enter", phase }),
  about: (form) => form.phase,
};

export interface OutputForm {
  action: LoopBPhase;
  status: string;
  summary: string;
  files: string;
  next: string;
  back: string;
  detail: string;
  /** What the worker reported in fields; no form has it. */
  report: WorkerReport | null;
  completed: string[];
}

export function emptyOutput(action: LoopBPhase): OutputForm {
  return {
    action,
    status: LOOP_B_FORMS.outcomes[0],
    summary: "",
    files: "",
    next: "",
    back: "",
    detail: "",
    report: null,
    completed: [],
  };
}

export function outputOf(form: OutputForm): WorkerOutput {
  return {
    action: form.action,
    status: form.status,
    summary: form.summary.trim(),
    files_changed: distinctLines(form.files),
    next_suggestion: orNull(form.next),
    loop_back_to: orNull(form.back),
    detailed_output: form.detail,
    completed_tasks: [...form.completed],
    report: form.report,
  };
}

export interface WorkerForm {
  output: OutputForm;
}

export const workerDone: StepForm<WorkerForm> = {
  begin: () => ({ output: emptyOutput(LOOP_B_FORMS.first_action) }),
  missing: ({ output }) => gaps([t.common.result, filled(output.summary)]),
  change: ({ output }) => loopB({ op: "worker_done", output: outputOf(output) }),
  about: ({ output }) => output.action,
};

export interface PlanForm {
  output: OutputForm;
  tasks: PlannedForm[];
}

export const plan: StepForm<PlanForm> = {
  begin: () => ({
    output: emptyOutput(LOOP_B_FORMS.planning),
    tasks: [nextPlanned([], LOOP_B_FORMS.task_id)],
  }),
  missing: (form) =>
    gaps([t.fact.total_tasks, goodPlan(form.tasks)], [t.common.result, filled(form.output.summary)]),
  change: (form) => loopB({ op: "planned", output: outputOf(form.output), tasks: form.tasks.map(planned) }),
};

export interface MergeForm {
  outputs: OutputForm[];
}

export const merge: StepForm<MergeForm> = {
  begin(detail) {
    const outputs = LOOP_B_FORMS.parallel.flatMap((action) => {
      const worker = detail.workers.find((one) => one.action === action);
      return worker
        ? {
            ...emptyOutput(action),
            status: worker.status,
            summary: worker.summary,
            files: worker.files_changed.join("\n"),
            next: worker.next_suggestion ?? "",
            back: worker.loop_back_to ?? "",
            detail: worker.detail ?? "",
            report: worker.report,
          }
        : [];
    });
    return { outputs: outputs.length > 0 ? outputs : [emptyOutput(LOOP_B_FORMS.first_action)] };
  },
  missing: ({ outputs }) =>
    gaps([t.common.result, outputs.length > 0 && outputs.every((output) => filled(output.summary))]),
  change: ({ outputs }) => loopB({ op: "merge", outputs: outputs.map(outputOf) }),
};
