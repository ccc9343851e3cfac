import type { ListedTask } from "../../../host/bindings";

/** The files that a task list is in, each once. */
export function taskPlaces(tasks: readonly ListedTask[]): string[] {
  return [...new Set(tasks.map((task) => task.file))];
}

/** Where a list is now that was in other files before; null while any part of it is where it was. */
export function movedTo(before: readonly string[], now: readonly string[]): string | null {
  const elsewhere = before.length > 0 && !now.some((file) => before.includes(file));
  return (elsewhere && now[0]) || null;
}
