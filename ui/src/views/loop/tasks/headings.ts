import type { TaskState, TaskView } from "../../../host/bindings";
import type { Line } from "./tasks";

/** A part of a part is pushed in no further than this. */
const DEEPEST = 4;
/** Of a plan with more tasks than this, what is done is closed at first. */
const LONG = 30;

interface TaskProgress {
  readonly done: number;
  readonly total: number;
}

/** Whether a task is a part of the work that counts, as the core counts it. */
function counts(task: Pick<TaskView, "optional" | "state">): boolean {
  return !task.optional && task.state !== "dropped";
}

/** How many tasks are said to be done, of those that count. */
export function progressOf(tasks: readonly { readonly optional: boolean; state: TaskState }[]): TaskProgress {
  const counted = tasks.filter(counts);
  return { done: counted.filter(({ state }) => state === "completed").length, total: counted.length };
}

/** Whether there is more to arrange tasks by than their status: headings, or parts. */
export function hasOutline(tasks: readonly TaskView[]): boolean {
  return tasks.some(({ group, parent }) => group !== null || parent !== null);
}

/** The tasks below one heading of the file, parts behind what they are a part of. */
export interface Section extends TaskProgress {
  /** Nothing for tasks that stand below no heading. */
  readonly heading: string | null;
  readonly tasks: readonly { readonly place: number; readonly depth: number }[];
}

/**
 * Tasks by their headings, in the order of the file. A part without a heading of its own stands with its whole. Files can
 * say anything: a part of itself, or of something that is not shown, is a task like every other.
 */
export function taskSections(tasks: readonly TaskView[], places: readonly number[]): Section[] {
  const firsts = new Map<string, number>();
  for (const place of places) if (!firsts.has(tasks[place]!.id)) firsts.set(tasks[place]!.id, place);
  const wholeOf = (place: number): number | undefined => {
    const { parent } = tasks[place]!;
    return parent === null ? undefined : firsts.get(parent);
  };
  const headings = new Map(places.map((place) => [place, headingOf(place)]));
  function headingOf(place: number): string | null {
    const seen = new Set<number>();
    for (let at: number | undefined = place; at !== undefined && !seen.has(at); at = wholeOf(at)) {
      const { group } = tasks[at]!;
      if (group !== null) return group;
      seen.add(at);
    }
    return null;
  }

  const parts = new Map<number, number[]>();
  const below = new Map<string | null, number[]>();
  for (const place of places) {
    const heading = headings.get(place)!;
    const all = below.get(heading);
    if (all) all.push(place);
    else below.set(heading, [place]);
    const whole = wholeOf(place);
    if (whole === undefined || headings.get(whole) !== heading) continue;
    const others = parts.get(whole);
    if (others) others.push(place);
    else parts.set(whole, [place]);
  }
  const isPart = new Set([...parts.values()].flat());
  return [...below].map(([heading, all]) => {
    const ordered: { place: number; depth: number }[] = [];
    const listed = new Set<number>();
    // Those that are parts of each other have no beginning; they come where the file has them.
    for (const from of [...all.filter((place) => !isPart.has(place)), ...all]) {
      const open = [{ place: from, depth: 0 }];
      for (let one = open.pop(); one; one = open.pop()) {
        if (listed.has(one.place)) continue;
        listed.add(one.place);
        ordered.push(one);
        const depth = Math.min(DEEPEST, one.depth + 1);
        for (const place of [...(parts.get(one.place) ?? [])].reverse()) open.push({ place, depth });
      }
    }
    return { heading, tasks: ordered, ...progressOf(all.map((place) => tasks[place]!)) };
  });
}

/** Whether a section is open before anybody opened or closed it. */
export function opensAtFirst({ done, total }: TaskProgress, tasks: readonly TaskView[]): boolean {
  return tasks.length <= LONG || done === 0 || done < total;
}

/** Sections with their heads; without any heading in the file the tasks alone. */
export function headed(sections: readonly Section[], isOpen: (section: Section) => boolean): Line[] {
  const bare = sections.every(({ heading }) => heading === null);
  return sections.flatMap((section): Line[] => {
    if (bare) return [...section.tasks];
    const { heading, done, total } = section;
    const open = isOpen(section);
    const head = { heading, done, total, open };
    return open ? [head, ...section.tasks] : [head];
  });
}
