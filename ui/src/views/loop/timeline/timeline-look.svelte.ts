import type { EntryKind } from "../../../host/bindings";
import { left } from "../../../state/left";

/** How a person looks at the timeline of one loop. */
export class TimelineLook {
  /** Kinds that are shown; none of them means all. */
  on: readonly EntryKind[] = $state.raw([]);
  text = $state("");
  hideIdle = $state(true);
  /** Folds of log lines that are unfolded. */
  opened: ReadonlySet<string> = $state.raw(new Set());
  /** Iterations that are folded. */
  closed: ReadonlySet<string> = $state.raw(new Set());
}

export const timelineLookOf = left(() => new TimelineLook());
