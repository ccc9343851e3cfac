import type { Fact, LoopPage } from "../../host/bindings";
import type { Tab } from "../../state/place";
import { resultsOf } from "./documents/results";

/**
 * The figure next to a tab's name; nothing for tabs that are not lists, nor for Activity: it also
 * shows what Loopdeck remembers, and combines what two files say.
 */
export function tabCount(tab: Tab, { detail, documents, work_later: later }: LoopPage): number | null {
  switch (tab) {
    case "work":
      return later?.atoms || detail.atoms.length || detail.tasks.length + detail.task_list.length;
    case "debug":
      return detail.debug?.hypotheses.length ?? 0;
    case "tests":
      return detail.validation?.runs.at(-1)?.total ?? 0;
    case "files":
      return 1 + documents.length + (later?.results ?? resultsOf(detail.atoms).length);
    default:
      return null;
  }
}

/** Rounds without progress, of so many that end the loop. */
interface Stall {
  readonly count: number;
  readonly most: number;
  /** One more ends it, or it has ended. */
  readonly near: boolean;
}

/** How long a loop has been without progress; nothing while it makes some, nor where nothing counts it. */
export function stallOf(facts: readonly Fact[]): Stall | null {
  const number = (name: string) => {
    const value = facts.find((fact) => fact.name === name)?.value;
    return value?.kind === "number" ? value.value : null;
  };
  const [count, most] = [number("stall_count"), number("max_stall_count")];
  if (count === null || most === null || count < 1 || most < 1) return null;
  return { count, most, near: count >= most - 1 };
}
