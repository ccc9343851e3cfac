import { TASK_FORMS, type LoopDetail, type PlannedTask, type TaskState } from "../../host/bindings";
import { filled, freeId, isWhole, distinctLines, twice, type IdPattern } from "./form";

export interface PlannedForm {
  id: string;
  description: string;
  tool: string;
  mode: string;
  priority: number | null;
  files: string;
}

/** The next task of a plan. */
export function nextPlanned(tasks: readonly PlannedForm[], pattern: IdPattern): PlannedForm {
  return {
    id: freeId(tasks, pattern),
    description: "",
    tool: tasks.at(-1)?.tool ?? "",
    mode: tasks.at(-1)?.mode ?? TASK_FORMS.first_mode,
    priority: tasks.length + 1,
    files: "",
  };
}

export function goodPriority(priority: number | null): priority is number {
  return isWhole(priority, TASK_FORMS.priority.least, TASK_FORMS.priority.most);
}

export function goodPlan(tasks: readonly PlannedForm[]): boolean {
  const good = (task: PlannedForm) =>
    filled(task.id) && filled(task.description) && goodPriority(task.priority);
  return tasks.length > 0 && tasks.every(good) && !twice(tasks.map((task) => task.id));
}

export function planned(form: PlannedForm): PlannedTask {
  return {
    id: form.id.trim(),
    description: form.description.trim(),
    tool: form.tool,
    mode: form.mode,
    priority: form.priority ?? TASK_FORMS.priority.least,
    files: distinctLines(form.files),
  };
}

/** Tasks that are done, or are not going to be, come last in a choice. */
const LAST: Readonly<Record<TaskState, boolean>> = {
  pending: false,
  in_progress: false,
  completed: true,
  failed: false,
  blocked: false,
  dropped: true,
  other: false,
};

export function openFirst(detail: LoopDetail): LoopDetail["tasks"] {
  return [...detail.tasks].sort((a, b) => Number(LAST[a.state]) - Number(LAST[b.state]));
}
