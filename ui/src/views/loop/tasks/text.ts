import type { ClaimedItem, EventView, ListedTask, LoopRow, TaskView } from "../../../host/bindings";
import { fencedCode, inlineCode, joinedParts, plainText, markdownTable } from "../../../state/markdown";
import { fullTime } from "../../../words/format";
import { say, t } from "../../../words/language.svelte";
import { taskStatus } from "../../../words/loop-phrases";
import { filesOf, type TaskFile } from "./tasks";

/** What a listed task does with files; a word that the format does not define as it is written. */
export function taskModeText({ known_mode, mode }: ListedTask): string {
  return known_mode === null ? mode : t.option[known_mode];
}

/** What follows when a listed task fails; a word that the format does not define as it is written. */
export function onErrorText({ known_on_error, on_error }: ListedTask): string {
  return known_on_error === null ? (on_error ?? "") : t.option[known_on_error];
}

/** What became of a file; while nothing was changed yet, nothing is missing either. */
export function fileText(file: TaskFile, all: readonly TaskFile[]): string {
  if (file.planned && file.changed) return t.tasksView.plannedAndChanged;
  if (file.planned)
    return all.some((one) => one.changed) ? t.tasksView.plannedNotChanged : t.tasksView.planned;
  return all.some((one) => one.planned) ? t.tasksView.changedNotPlanned : t.tasksView.changedFile;
}

/** What sets a task apart from its neighbours, besides its status. */
export function apartTexts({
  parallel,
  optional,
  claim,
}: Pick<TaskView, "parallel" | "optional" | "claim">): string[] {
  return [
    ...(parallel ? [t.tasksView.parallel] : []),
    ...(optional ? [t.tasksView.optional] : []),
    ...(claim ? [claimText(claim)] : []),
  ];
}

/** What the checks said of an item since it was called done. */
function claimText({ claimed = 0, proven = null, broke = null, accepted = false }: ClaimedItem): string {
  if (broke !== null && proven !== null && broke >= proven)
    return say(t.proof.broke, { claimed, proven, broke });
  if (proven !== null) return say(t.proof.proven, { claimed, proven });
  return accepted ? t.proof.accepted : say(t.proof.claimed, { claimed });
}

/** How far a task is, whether it could be begun, and what sets it apart. */
export function standingText(task: TaskView): string {
  const ready = task.ready ? [t.atom.ready] : [];
  return [taskStatus(task), ...ready, ...apartTexts(task)].join(t.units.listSeparator);
}

/** Tool and mode, as they are written. */
export function toolText(task: { readonly tool: string | null; readonly mode: string | null }): string {
  return [task.tool, task.mode].filter(Boolean).join(" · ");
}

const bullet = (name: string, value: string | null | undefined) =>
  value ? `- ${plainText(name)}: ${value}` : "";
const lines = (all: readonly string[]) => all.filter((line) => line !== "").join("\n");

export function tasksMarkdown(row: LoopRow, tasks: readonly TaskView[]): string {
  const rows = tasks.map((task) => [
    plainText(taskStatus(task)),
    inlineCode(task.id),
    plainText(task.description),
    inlineCode(toolText(task)),
    filesOf(task)
      .map((file) => inlineCode(file.path))
      .join(", "),
  ]);
  const head = [t.fact.status, t.common.id, t.fact.description, t.common.tool, t.detail.tabs.files];
  return joinedParts(
    `## ${plainText(say(t.tasksView.title, { title: row.title }))}`,
    markdownTable(head, rows),
  );
}

export function taskMarkdown(task: TaskView, events: readonly EventView[]): string {
  const all = filesOf(task);
  const files = all.map((file) => `- ${inlineCode(file.path)} (${plainText(fileText(file, all))})`);
  const happened = events.map((event) => {
    const when = event.time ? `${plainText(fullTime(event.time))}: ` : "";
    return `- ${when}${plainText(t.event[event.kind])} – ${plainText(event.text)}`;
  });
  return joinedParts(
    `## ${inlineCode(task.id)} ${plainText(task.description)}`,
    task.details !== "" && plainText(task.details),
    lines([
      bullet(t.fact.status, plainText(standingText(task))),
      bullet(t.tasksView.heading, plainText(task.group ?? "")),
      bullet(t.tasksView.partOf, task.parent && inlineCode(task.parent)),
      bullet(t.common.tool, inlineCode(toolText(task))),
      bullet(t.fact.priority, plainText(task.priority ?? "")),
      bullet(t.common.waitsFor, task.depends_on.map(inlineCode).join(", ")),
      bullet(t.fact.created_at, task.created && plainText(fullTime(task.created))),
      bullet(t.work.completed, task.completed && plainText(fullTime(task.completed))),
      ...task.done_when.map((one) => bullet(t.fact.definition_of_done, plainText(one))),
      ...task.extra.map((field) => `- ${inlineCode(field.path)}: ${inlineCode(field.text)}`),
    ]),
    files.length > 0 && `### ${plainText(t.detail.tabs.files)}`,
    lines(files),
    happened.length > 0 && `### ${plainText(t.reportFile.happened)}`,
    lines(happened),
  );
}

export function listMarkdown(row: LoopRow, tasks: readonly ListedTask[]): string {
  const rows = tasks.map((task, at) => [
    String((task.order ?? at) + 1),
    plainText(task.description),
    inlineCode(toolText(task)),
    inlineCode(task.on_error ?? ""),
    inlineCode(task.command ?? ""),
  ]);
  const head = [
    t.work.order,
    t.fact.description,
    t.common.tool,
    t.fact.error_policy,
    t.start.fieldName.command,
  ];
  return joinedParts(
    `## ${plainText(say(t.tasksView.listTitle, { title: row.title }))}`,
    markdownTable(head, rows),
  );
}

export function listedMarkdown(task: ListedTask): string {
  return joinedParts(
    `## ${plainText(task.description)}`,
    lines([
      bullet(t.common.id, inlineCode(task.id)),
      bullet(t.common.tool, inlineCode(toolText(task))),
      bullet(t.fact.error_policy, inlineCode(task.on_error ?? "")),
      bullet(t.fact.created_at, task.created && plainText(fullTime(task.created))),
      bullet(t.list.heads.seen, task.updated && plainText(fullTime(task.updated))),
    ]),
    task.command && fencedCode(task.command, "sh"),
    task.prompt_template && fencedCode(task.prompt_template),
  );
}
