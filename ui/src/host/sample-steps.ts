import type { LoopRow, RefusalCode, StepCode, StepOffer, StepSubject } from "./bindings";

/*
 * Just enough of the core's answers to draw the forms of a browser's sample data. The real rules live in the core;
 * nothing outside src/host/ may look in here.
 */

type Steps = Partial<Record<StepCode, readonly StepSubject[]>>;

const AOT: Steps = {
  aot_redirect: ["direction"],
  aot_hold: ["direction"],
  aot_start_atoms: ["whole"],
  aot_resolve: ["atom", "branch"],
  aot_fail: ["atom"],
  aot_backtrack: ["branch"],
  aot_resolve_containers: ["whole"],
  aot_reset_in_progress: ["whole"],
  aot_release_hold: ["whole"],
  aot_complete: ["whole"],
};
const LOOP_V2: Steps = {
  v2_init: ["record"],
  v2_begin: ["record"],
  v2_develop: ["record"],
  v2_debug: ["record"],
  v2_validate: ["record"],
  v2_complete: ["record"],
  edit_tasks: ["task_list"],
};
const LOOP_B: Steps = {
  b_enter: ["record"],
  b_worker_done: ["record"],
  b_planned: ["record"],
  b_merge: ["record"],
  b_complete: ["record"],
};

function refused(row: LoopRow, step: StepCode): RefusalCode | null {
  if (row.word === "cannot_read") return "damaged_file";
  if (step === "edit_tasks" || step === "aot_redirect") return null;
  if (row.word === "unknown") return "unknown_status";
  if (step === "aot_release_hold") return "not_paused";
  const running = row.group === "active" || row.word === "interrupted";
  if (!running && step !== "v2_init") return "not_running";
  if (step === "v2_init") return row.word === "not_started" ? null : "already_initialised";
  return step === "aot_complete" || step === "b_merge" || step === "b_planned" ? "wrong_step" : null;
}

/** What the sample offers for a loop. */
export function stepsOf(row: LoopRow): StepOffer[] {
  const codes = { aot: AOT, loop_v2: LOOP_V2, loop_b: LOOP_B } as const;
  const own: Steps = row.format in codes ? codes[row.format as keyof typeof codes] : {};
  const canHold = refused(row, "aot_hold") === null;
  return (Object.keys(own) as StepCode[]).map((step) => {
    const code = refused(row, step);
    const named: Record<string, string> = code === "wrong_step" ? { field: step.split("_")[1] ?? step } : {};
    const refusal = code && { code, args: named, status: row.word };
    return { step, on: [...(own[step] ?? [])], refusal, after_hold: step === "aot_redirect" && canHold };
  });
}
