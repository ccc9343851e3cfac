import { TASK_FORMS, type ListedTask, type TaskFields } from "../../host/bindings";
import { t } from "../../words/language.svelte";
import { filled, gaps, orNull, type StepForm } from "./form";

export interface TaskForm {
  id: string;
  description: string;
  tool: string;
  mode: string;
  prompt: string;
  command: string;
  onError: string;
}

function formOf(task: ListedTask | undefined): TaskForm {
  return {
    id: task?.id ?? "",
    description: task?.description ?? "",
    tool: task?.tool ?? "",
    mode: task?.mode ?? TASK_FORMS.first_mode,
    prompt: task?.prompt_template ?? "",
    command: task?.command ?? "",
    onError: task?.on_error ?? "",
  };
}

function fieldsOf(form: TaskForm): TaskFields {
  return {
    description: form.description.trim(),
    tool: form.tool,
    mode: form.mode,
    prompt_template: form.prompt,
    command: orNull(form.command),
    on_error: orNull(form.onError),
  };
}

const missing = (form: TaskForm) => gaps([t.field.description, filled(form.description)]);
const about = (form: TaskForm) => form.description.trim();

export const addTask: StepForm<TaskForm> = {
  begin: () => formOf(undefined),
  missing,
  change: (form) => ({ kind: "edit_tasks", edit: { edit: "add", id: "", task: fieldsOf(form) } }),
  about,
};

export const editTask: StepForm<TaskForm> = {
  begin: (detail, start) => formOf(detail.task_list.find((task) => task.id === start.id)),
  missing,
  change: (form) => ({ kind: "edit_tasks", edit: { edit: "edit", id: form.id, task: fieldsOf(form) } }),
  about,
};

export const deleteTask: StepForm<TaskForm> = {
  begin: editTask.begin,
  missing: () => [],
  change: (form) => ({ kind: "edit_tasks", edit: { edit: "delete", id: form.id } }),
  about,
};
