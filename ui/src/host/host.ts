import type { commands, Push } from "./bindings";
import type { FinishHost } from "./finish-host";
import type { FromBackend, RunHost } from "./run-host";

/** A link to a place in a loop was opened from outside the page. Tab and item are as the link has them: untrusted. */
export type Linked = Extract<Push, { kind: "linked" }>;

/** The window is to be closed, or everything stopped, while loops run. */
export type Closing = Extract<Push, { kind: "closing" }>;

/**
 * Everything the window can ask of the backend; what each command is for stands in the bindings. A failing operation rejects with a
 * `Failure`. Operations that change something only confirm that they were taken: the new state arrives as a change.
 */
export interface Host extends FromBackend<
  Exclude<keyof typeof commands, keyof RunHost | keyof FinishHost | "subscribe" | "saveAs">
> {
  /** Everything about running loops. */
  readonly runs: RunHost;
  /** Everything about what became of a loop's files. */
  readonly finishing: FinishHost;
  /** From now on the window hears that there is something newer, and what reached it from outside the page. */
  subscribe(onPush: (push: Push) => void): Promise<unknown>;
  /** Asks where to save; null when the person cancels, else the path for display. */
  saveAs(name: string, bytes: Uint8Array): Promise<string | null>;
}
