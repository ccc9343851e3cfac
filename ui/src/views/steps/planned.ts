import type { LoopDetail, PlannedTask } from "../../host/bindings";
import { filled, isWhole, linesOf, twice } from "./form";

export const TOOLS = ["gemini", "qwen", "codex", "bash"] as const;
export const MODES = ["analysis", "write", "review"] as const;

export interface PlannedForm {
  id: string;
  description: string;
  tool: string;
  mode: string;
  priority: number | null;
  files: string;
}

/** The next task of a plan; `pattern` writes its number the way the format does. */
export function nextPlanned(tasks: readonly PlannedForm[], pattern: (number: number) => string): PlannedForm {
  let number = tasks.length + 1;
  while (tasks.some((task) => task.id === pattern(number))) number += 1;
  return {
    id: pattern(number),
    description: "",
    tool: tasks.at(-1)?.tool ?? "gemini",
    mode: tasks.at(-1)?.mode ?? "write",
    priority: tasks.length + 1,
    files: "",
  };
}

export const NUMBERED = {
  loop_v2: (number: number) => `task-${String(number).padStart(3, "0")}`,
  loop_b: (number: number) => `T${number}`,
} as const;

export function goodPlan(tasks: readonly PlannedForm[]): boolean {
  const good = (task: PlannedForm) =>
    filled(task.id) && filled(task.description) && isWhole(task.priority, 1);
  return tasks.length > 0 && tasks.every(good) && !twice(tasks.map((task) => task.id));
}

export function planned(form: PlannedForm): PlannedTask {
  return {
    id: form.id.trim(),
    description: form.description.trim(),
    tool: form.tool,
    mode: form.mode,
    priority: form.priority ?? 1,
    files: linesOf(form.files),
  };
}

/** Tasks that are not closed, by the word in the file; the choice is only sorted by it. */
export function openFirst(detail: LoopDetail): LoopDetail["tasks"] {
  const closed = (status: string) => status.toLowerCase() === "completed";
  return [...detail.tasks].sort((a, b) => Number(closed(a.status)) - Number(closed(b.status)));
}
