import type { LoopRow, RefusalCode, StepCode, StepOffer } from "./bindings";

/*
 * Just enough of the core's answers to draw the forms of a browser's sample data. The real rules live in the core;
 * nothing outside src/host/ may look in here.
 */

const AOT: readonly StepCode[] = [
  "aot_redirect",
  "aot_start_atoms",
  "aot_resolve",
  "aot_fail",
  "aot_decompose",
  "aot_resolve_containers",
  "aot_backtrack",
  "aot_select",
  "aot_reset_in_progress",
  "aot_complete",
  "aot_hold",
  "aot_release_hold",
];
const LOOP_V2: readonly StepCode[] = [
  "v2_init",
  "v2_begin",
  "v2_develop",
  "v2_debug",
  "v2_validate",
  "v2_complete",
  "edit_tasks",
];
const LOOP_B: readonly StepCode[] = ["b_enter", "b_worker_done", "b_planned", "b_merge", "b_complete"];

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
  const own: readonly StepCode[] = row.format in codes ? codes[row.format as keyof typeof codes] : [];
  return own.map((step) => {
    const code = refused(row, step);
    const named: Record<string, string> = code === "wrong_step" ? { field: step.split("_")[1] ?? step } : {};
    return { step, refusal: code && { code, args: named, status: row.word } };
  });
}
