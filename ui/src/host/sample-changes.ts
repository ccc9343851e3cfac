import type {
  AotStep,
  ErrorPolicy,
  ListedTask,
  LoopChange,
  Failure,
  LoopDetail,
  PlanStep,
  Refusal,
  StepOffer,
  TaskEdit,
  TaskFields,
  TaskMode,
} from "./bindings";
import { at } from "./sample-empty";

/*
 * What the sample shows after a change of the work: enough to see that something happened. What really happens is the
 * core's business.
 */

function blank(id: string, detail: LoopDetail): ListedTask {
  return {
    id,
    description: "",
    tool: "",
    mode: "",
    known_mode: null,
    prompt_template: "",
    order: null,
    command: null,
    on_error: null,
    known_on_error: null,
    taken: false,
    created: at(Date.now()),
    updated: null,
    file: detail.task_list[0]?.file ?? "loop.tasks.jsonl",
  };
}

/** The form offers no other words. */
function withWords(task: TaskFields): TaskFields & Pick<ListedTask, "known_mode" | "known_on_error"> {
  return { ...task, known_mode: task.mode as TaskMode, known_on_error: task.on_error as ErrorPolicy | null };
}

function listed(detail: LoopDetail, edit: TaskEdit): ListedTask[] {
  const tasks = detail.task_list;
  const numbered = (all: readonly ListedTask[]) => all.map((task, order) => ({ ...task, order }));
  switch (edit.edit) {
    case "add":
      return numbered([
        ...tasks,
        { ...blank(`task-added-${tasks.length + 1}`, detail), ...withWords(edit.task) },
      ]);
    case "edit":
      return tasks.map((task) => (task.id === edit.id ? { ...task, ...withWords(edit.task) } : task));
    case "delete":
      return numbered(tasks.filter((task) => task.id !== edit.id));
    case "reorder":
      return numbered(edit.ids.flatMap((id) => tasks.find((task) => task.id === id) ?? []));
  }
}

/** A driver that waits can be released, a running one can be held. */
function held(steps: readonly StepOffer[], waits: boolean): StepOffer[] {
  const refused = waits
    ? ({ step: "aot_hold", code: "already_paused" } as const)
    : ({ step: "aot_release_hold", code: "not_paused" } as const);
  const free = waits ? "aot_release_hold" : "aot_hold";
  return steps.map((offer) => {
    if (offer.step === refused.step)
      return { ...offer, refusal: { code: refused.code, args: {}, status: null } };
    if (offer.step === "aot_redirect") return { ...offer, after_hold: !waits };
    return offer.step === free ? { ...offer, refusal: null } : offer;
  });
}

function graph(detail: LoopDetail, step: AotStep): Partial<LoopDetail> {
  const state = (ids: readonly string[], word: "in_progress" | "resolved") =>
    detail.atoms.map((atom) => (ids.includes(atom.id) ? { ...atom, status: word, state: word } : atom));
  switch (step.op) {
    case "start_atoms":
      return { atoms: state(step.ids, "in_progress") };
    case "resolve":
      return { atoms: state([step.id], "resolved") };
    case "hold_for_redirect":
      return { steps: held(detail.steps, true) };
    case "release_hold":
      return { steps: held(detail.steps, false) };
    case "redirect": {
      const time = at(Date.now());
      const correction = {
        time,
        kind: "dag_adjustment" as const,
        word: "dag_adjustment",
        description: step.description,
        trail_cleared: false,
        atom: null,
      };
      const waits = detail.steps.some((offer) => offer.refusal?.code === "already_paused");
      const steps = waits ? held(detail.steps, false) : detail.steps;
      return { corrections: [...detail.corrections, correction], steps };
    }
    default:
      return {};
  }
}

function marked({ tasks }: LoopDetail, step: PlanStep): LoopDetail["tasks"] {
  const task = tasks[step.at];
  if (task?.description !== step.text) {
    const refusal: Refusal = { code: "no_such_task", args: { field: step.text }, status: null };
    throw { kind: "refused", args: {}, refusal } satisfies Failure;
  }
  switch (step.op) {
    case "mark":
      return tasks.with(step.at, { ...task, state: step.to });
    case "reword":
      return tasks.with(step.at, { ...task, description: step.to });
    case "add":
      return tasks.toSpliced(step.at + 1, 0, {
        ...task,
        id: `${task.id}a`,
        description: step.new,
        state: "pending",
      });
    case "move": {
      const others = tasks.toSpliced(step.at, 1);
      const before = step.before === null ? others.length : others.indexOf(tasks[step.before]!);
      return others.toSpliced(before, 0, task);
    }
  }
}

/** A change of the work itself. */
export type WorkChange = Extract<LoopChange, { kind: "operate" | "edit_tasks" }>;

/** The parts of a detail that a change makes different. */
export function changedDetail(detail: LoopDetail, change: WorkChange): Partial<LoopDetail> {
  if (change.kind === "edit_tasks") return { task_list: listed(detail, change.edit) };
  const { operation } = change;
  if (operation.format === "plan") return { tasks: marked(detail, operation.step) };
  return operation.format === "aot" ? graph(detail, operation.step) : {};
}
