import { left } from "../../state/left";
import type { Kind } from "./entries";

/** How a person looks at the timeline of one loop. */
export class TimelineLook {
  /** Kinds that are shown; none of them means all. */
  on: readonly Kind[] = $state.raw([]);
  text = $state("");
  form: "compact" | "full" | "raw" = $state("compact");
  hideIdle = $state(true);
  /** Iterations that are folded. */
  closed: ReadonlySet<string> = $state.raw(new Set());
}

export const timelineLookOf = left(() => new TimelineLook());
