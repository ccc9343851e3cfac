import type { LoopRow, PlanStep, TaskState, TaskView } from "../../../host/bindings";
import type { Actions } from "../../../state/actions";
import { say, t } from "../../../words/language.svelte";
import { taskStatus } from "../../../words/loop-phrases";

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

type StepOf<Op> = Extract<PlanStep, { op: Op }>;
/** A change of a task's text, place or neighbours. */
export type ItemEdit =
  | Omit<StepOf<"reword">, "at" | "text">
  | Omit<StepOf<"move">, "at" | "text">
  | Omit<StepOf<"add">, "at" | "text">;

/** Writes a change of a task into its file; answers whether it was taken. */
export function editTask(
  actions: Actions,
  row: LoopRow,
  at: number,
  task: TaskView,
  edit: ItemEdit,
): Promise<boolean> {
  const step: PlanStep = { at, text: task.description, ...edit };
  const words = { reword: t.tasksView.reworded, move: t.tasksView.movedTask, add: t.tasksView.addedTask };
  const done = say(words[edit.op], { name: edit.op === "add" ? edit.new : task.description });
  return actions.changeAtOnce(row.key, { kind: "operate", operation: { format: "plan", step } }, done);
}

/** Where a task can go in its list: before which other one; `up` is null for the first, `down` undefined for the last and null for the end. */
export function neighbours(
  tasks: readonly TaskView[],
  task: TaskView,
): { up: number | null; down: number | null | undefined } {
  const isBeside = (other: TaskView) =>
    other.editable && other.parent === task.parent && other.group === task.group && other.file === task.file;
  const list = tasks.flatMap((other, place) => (isBeside(other) ? [place] : []));
  const at = list.indexOf(tasks.indexOf(task));
  const isLast = at === list.length - 1;
  return { up: list[at - 1] ?? null, down: at < 0 || isLast ? undefined : (list[at + 2] ?? null) };
}
