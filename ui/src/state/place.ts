import type { Control, Failure, FollowUpKind } from "../host/bindings";

/** The tabs of a loop, in the order of their keys 1 to 7. A loop shows those that have something in them. */
export const TABS = ["overview", "work", "debug", "tests", "activity", "output", "files"] as const;
export type Tab = (typeof TABS)[number];

/** Names the state file among the files of a loop; no file next to it has such a name. */
export const STATE_FILE = "state:";

export function isTab(word: string): word is Tab {
  return (TABS as readonly string[]).includes(word);
}

/** A loop, a part of it, and what is chosen in that part. */
export interface LoopPlace {
  readonly kind: "loop";
  readonly key: string;
  readonly tab: Tab;
  /** Line of the file to show. */
  readonly line: number | null;
  /** Id of what is chosen: a hypothesis, an atom, a test, an event, a file. Views ignore what they do not have. */
  readonly item: string | null;
}

/** The form that starts a loop; like another loop, or as follow-up work of it, where one is named. */
export interface StartPlace {
  readonly kind: "start";
  /** Key of the loop to make another one of. */
  readonly from: string | null;
  /** In which direction the new loop follows from it; `null` for another one like it. */
  readonly followUp: FollowUpKind | null;
}

/** The part of that form which chooses how the agent of a loop is run. */
export interface LaunchPlace {
  readonly kind: "launch";
  readonly key: string;
  readonly control: Control;
  /** Why it did not start as it was; nothing when the person wanted to choose. */
  readonly reason: Failure | null;
  /** The limit of iterations that the person wanted. */
  readonly raise: number | null;
}

/** A page of the user guide. */
export interface GuidePlace {
  readonly kind: "guide";
  /** Its file without the ending; a name that the guide does not have means its index. */
  readonly page: string;
}

/** Where in the window a person is. */
export type Place =
  | { readonly kind: "list" }
  | { readonly kind: "agents" }
  | { readonly kind: "team" }
  | GuidePlace
  | { readonly kind: "about" }
  | { readonly kind: "overview" }
  | { readonly kind: "search" }
  | StartPlace
  | LaunchPlace
  | LoopPlace;

/** Whether two places are one step of the way: a choice within a part is not a separate step. */
export function samePart(a: Place, b: Place): boolean {
  if (a.kind === "start" && b.kind === "start") return a.from === b.from && a.followUp === b.followUp;
  if (a.kind === "launch" && b.kind === "launch") return a.key === b.key;
  if (a.kind === "guide" && b.kind === "guide") return a.page === b.page;
  if (a.kind !== "loop" || b.kind !== "loop") return a.kind === b.kind;
  return a.key === b.key && a.tab === b.tab;
}
