import type { LoopRow, TaskState, TaskView } from "../../../host/bindings";
import type { Actions } from "../../../state/actions";
import { say, t } from "../../../words/language.svelte";
import { taskStatus } from "../../../words/phrases";

/** What ticking a task, or taking its tick away, would write; nothing where that is not what it needs. */
export function tickOf({ state, settable }: Pick<TaskView, "state" | "settable">): TaskState | null {
  if (state !== "pending" && state !== "in_progress" && state !== "completed") return null;
  const to = state === "completed" ? "pending" : "completed";
  return settable.includes(to) ? to : null;
}

/** Writes another state of a task into its file; answers whether it was taken. */
export function markTask(
  actions: Actions,
  row: LoopRow,
  at: number,
  task: TaskView,
  to: TaskState,
): Promise<boolean> {
  const step = { op: "mark", at, text: task.description, to } as const;
  const done = say(t.tasksView.marked, {
    name: task.description,
    status: taskStatus({ state: to, status: "" }),
  });
  return actions.changeAtOnce(row.key, { kind: "operate", operation: { format: "plan", step } }, done);
}
