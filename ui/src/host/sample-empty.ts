import type { LoopDetail, LoopRow, TimeView } from "./bindings";
import { controlsOf } from "./sample-rules";
import { stepsOf } from "./sample-steps";

export const MINUTE = 60_000;

export function at(ms: number, shifted = false): TimeView {
  return { text: new Date(ms + (shifted ? 8 * 60 * MINUTE : 0)).toISOString(), ms, shifted };
}

/** A detail that says nothing at all. */
export function blankDetail(): LoopDetail {
  return {
    facts: [],
    metadata: {
      title: null,
      description: null,
      max_iterations: null,
      tags: [],
      priority: null,
      notes: null,
      editable: [],
    },
    controls: [],
    progress: null,
    tasks: [],
    task_list: [],
    debug: null,
    validation: null,
    objective: null,
    checklist: [],
    checklist_total: null,
    claims: null,
    present_checks: null,
    atoms: [],
    batch: [],
    critical_path: [],
    or_groups: [],
    decompositions: [],
    trail: [],
    corrections: [],
    workers: [],
    way: null,
    work: null,
    conflicts: [],
    merged_at: null,
    findings: [],
    errors: [],
    summary: [],
    follow_ups: [],
    history: [],
    prompt: null,
    asks: [],
    own_command: [],
    own_command_runs: false,
    extra: [],
    problems: [],
    times_shifted: false,
    events: [],
    events_total: 0,
    cut_files: [],
    repairs: [],
    steps: [],
  };
}

/** A detail that says nothing beyond its row. */
export function emptyDetail(row: LoopRow): LoopDetail {
  const blank = blankDetail();
  const { title, tags, priority } = row;
  return {
    ...blank,
    metadata: { ...blank.metadata, title, max_iterations: row.iteration?.limit ?? null, tags, priority },
    controls: controlsOf(row),
    problems: row.problem ? [row.problem] : [],
    steps: stepsOf(row),
  };
}
