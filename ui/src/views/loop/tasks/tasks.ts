import type { EventView, ListedTask, TaskState, TaskView } from "../../../host/bindings";

/** The order in which a person looks at tasks; undefined words come before what is still to come. */
const PLACES: Readonly<Record<TaskState, number>> = {
  in_progress: 0,
  failed: 1,
  blocked: 2,
  other: 3,
  pending: 4,
  completed: 5,
  dropped: 6,
};

/** How far a task is: its state, and its own word where the format does not define it. */
export type Status = Pick<TaskView, "state" | "status">;

/** What tells the group of a task from the others. */
export function statusKey({ state, status }: Status): string {
  return state === "other" ? status : state;
}

/** Statuses of the tasks, each once, in the order of their groups. */
export function statusesOf(tasks: readonly TaskView[]): Status[] {
  const firsts = new Map<string, TaskView>();
  for (const task of tasks) if (!firsts.has(statusKey(task))) firsts.set(statusKey(task), task);
  return [...firsts.values()].sort((a, b) => PLACES[a.state] - PLACES[b.state]);
}

/** Ids may occur twice in a damaged file; then the second one gets a number, so that every task can be chosen. */
export function keysOfTasks(items: readonly { readonly id: string }[]): string[] {
  const seen = new Map<string, number>();
  return items.map(({ id }) => {
    const before = seen.get(id) ?? 0;
    seen.set(id, before + 1);
    return before === 0 ? id : `${id}#${before + 1}`;
  });
}

/** Text in which a filter looks. */
export function taskText(task: TaskView): string {
  return [
    task.id,
    task.description,
    task.tool,
    task.mode,
    task.priority,
    task.group,
    task.parent,
    task.details,
    ...task.files_changed,
    ...task.files_planned,
    ...task.done_when,
    ...task.depends_on,
  ]
    .filter(Boolean)
    .join("\n")
    .toLowerCase();
}

export function textOfListed(task: ListedTask): string {
  return [task.id, task.description, task.tool, task.mode, task.command, task.on_error, task.prompt_template]
    .filter(Boolean)
    .join("\n")
    .toLowerCase();
}

/** Places of the items whose text has all words of the filter. */
export function matching(texts: readonly string[], filter: string): number[] {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  const all = texts.map((_, index) => index);
  return words.length === 0 ? all : all.filter((at) => words.every((word) => texts[at]!.includes(word)));
}

export type Column = "status" | "id" | "description" | "tool" | "files" | "completed";
export interface Sort {
  readonly column: Column;
  readonly down: boolean;
}

/** Places of tasks in another order; equal ones stay as the file has them. */
export function sortTasks(
  tasks: readonly TaskView[],
  places: readonly number[],
  sort: Sort | null,
  compare: (a: string, b: string) => number,
): readonly number[] {
  if (!sort) return places;
  const by: Readonly<Record<Column, (a: TaskView, b: TaskView) => number>> = {
    status: (a, b) => PLACES[a.state] - PLACES[b.state] || compare(a.status, b.status),
    id: (a, b) => compare(a.id, b.id),
    description: (a, b) => compare(a.description, b.description),
    tool: (a, b) => compare(a.tool ?? "", b.tool ?? "") || compare(a.mode ?? "", b.mode ?? ""),
    files: (a, b) => filesOf(a).length - filesOf(b).length,
    completed: (a, b) => (a.completed?.ms ?? 0) - (b.completed?.ms ?? 0),
  };
  const order = by[sort.column];
  const sign = sort.down ? -1 : 1;
  return [...places].sort((a, b) => sign * order(tasks[a]!, tasks[b]!) || a - b);
}

/** The head of the tasks with one status. */
interface StatusHead {
  readonly group: Status;
  readonly count: number;
}

/** The head of the tasks below one heading of the file, which can be closed. */
interface HeadingHead {
  /** Nothing for tasks that stand below none. */
  readonly heading: string | null;
  readonly done: number;
  readonly total: number;
  readonly open: boolean;
}

export type Head = StatusHead | HeadingHead;

/** A line of the list: the head of a group, or a task by its place in the file, and how far it is pushed in. */
export type Line = Head | { readonly place: number; readonly depth?: number };

export function isHead(line: Line | undefined): line is Head {
  return line !== undefined && !("place" in line);
}

/** What tells a line from all others; no key of a task begins like that of a head. */
export function lineKey(line: Line, keys: readonly string[]): string {
  if ("place" in line) return keys[line.place] ?? "";
  return `\0${"group" in line ? statusKey(line.group) : JSON.stringify(line.heading)}`;
}

/** Groups by status with their tasks below. */
export function grouped(tasks: readonly TaskView[], places: readonly number[]): Line[] {
  const groups = new Map<string, number[]>();
  for (const place of places) {
    const key = statusKey(tasks[place]!);
    const group = groups.get(key);
    if (group) group.push(place);
    else groups.set(key, [place]);
  }
  return statusesOf(places.map((place) => tasks[place]!)).flatMap((group): Line[] => {
    const own = groups.get(statusKey(group)) ?? [];
    return [{ group, count: own.length }, ...own.map((place) => ({ place }))];
  });
}

export interface TaskFile {
  readonly path: string;
  readonly planned: boolean;
  readonly changed: boolean;
}

/** Files of a task, each once: planned ones first. */
export function filesOf(task: Pick<TaskView, "files_planned" | "files_changed">): TaskFile[] {
  const planned = new Set(task.files_planned);
  const changed = new Set(task.files_changed);
  return [...new Set([...planned, ...changed])].map((path) => ({
    path,
    planned: planned.has(path),
    changed: changed.has(path),
  }));
}

/** Events about a task, newest first. */
export function eventsOf(events: readonly EventView[], id: string): EventView[] {
  return events.filter((event) => event.subject !== null && event.subject === id).reverse();
}

/** Tasks that are parts of a task. */
export function partsOf(tasks: readonly TaskView[], id: string): TaskView[] {
  return tasks.filter((task) => task.parent === id);
}

/** Tasks that wait for a task. */
export function neededBy(tasks: readonly TaskView[], id: string): TaskView[] {
  return tasks.filter((task) => task.depends_on.includes(id));
}
