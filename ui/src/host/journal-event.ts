import type { WriteCause } from "./bindings";

/** One thing that Loopdeck did with a loop, from its journal. */
export interface JournalEvent {
  /** When, ms since 1970 UTC. */
  at: number;
  kind: "requested" | "settled" | "write" | "deleted";
  /** What it was for. */
  cause: WriteCause | null;
  /** Where a request or a write stands. */
  state:
    | "open"
    | "settled"
    | "superseded"
    | "refused"
    | "undone"
    | "planned"
    | "landed"
    | "lost"
    | "taken_back"
    | null;
  /** Path below the workspace. */
  file: string;
}
