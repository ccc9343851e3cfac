import type { DebugView, LoopPage, ValidationView } from "../host/bindings";
import { TABS, type Tab } from "./place";

/** Whether a file says anything about a bug. */
function hasDebug(debug: DebugView | null): boolean {
  if (debug === null) return false;
  return debug.hypotheses.length > 0 || Boolean(debug.active_bug) || Boolean(debug.understanding);
}

/** Whether tests ran, or failed without a run of their own. */
function hasTests(validation: ValidationView | null): boolean {
  if (validation === null) return false;
  const { runs, failed_tests: failed, last_run: last } = validation;
  return runs.length > 0 || failed.length > 0 || last !== null;
}

/** What tells which tabs a loop has; an earlier version of one leaves nothing for later. */
type Shows = Pick<LoopPage, "detail"> & Partial<Pick<LoopPage, "work_later">>;

/** Whether there is work, or something that makes some. */
function hasWork({ detail, work_later: later }: Shows): boolean {
  const { tasks, task_list: list, atoms, steps, workers, conflicts, findings } = detail;
  const some = [tasks, list, atoms, steps, workers, conflicts, findings].some((all) => all.length > 0);
  return some || detail.work !== null || detail.way !== null || Boolean(later);
}

/** The tabs of a loop that have something in them, in the order of their keys. */
export function tabsOf(shows: Shows): readonly Tab[] {
  const { debug, validation } = shows.detail;
  const empty: Partial<Record<Tab, boolean>> = {
    work: !hasWork(shows),
    debug: !hasDebug(debug),
    tests: !hasTests(validation),
  };
  return TABS.filter((tab) => !empty[tab]);
}

/** The tab itself where the loop has it, else the nearest one that it has; of two, the one before. */
export function nearestTab(tab: Tab, tabs: readonly Tab[]): Tab {
  const far = (one: Tab) => Math.abs(TABS.indexOf(one) - TABS.indexOf(tab));
  return tabs.reduce((best, one) => (far(one) < far(best) ? one : best), tabs[0] ?? "overview");
}
