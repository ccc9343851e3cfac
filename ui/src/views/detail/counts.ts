import type { LoopDetail } from "../../host/bindings";
import type { Tab } from "../../state/place";

/** The figure beside a tab's name; nothing for tabs that are not lists, nor for
 * Activity: it shows what Loopdeck remembers too, and what two files say once. */
export function tabCount(tab: Tab, detail: LoopDetail, documents: number): number | null {
  switch (tab) {
    case "work":
      return detail.atoms.length || detail.tasks.length + detail.task_list.length;
    case "debug":
      return detail.debug?.hypotheses.length ?? 0;
    case "tests":
      return detail.validation?.runs.at(-1)?.total ?? 0;
    case "documents":
      return documents;
    default:
      return null;
  }
}
