import type { FromBackend } from "./run-host";

/** What the window can ask about a loop's changes, and what a person does with them. A failing operation rejects with a `Failure`. */
export type FinishHost = FromBackend<
  | "loopChanges"
  | "loopChange"
  | "weakenedTests"
  | "markViewed"
  | "comments"
  | "addComment"
  | "removeComment"
  | "takeUp"
  | "finishState"
  | "commitWork"
  | "branchWork"
  | "mergeWork"
  | "keepWork"
  | "discardWork"
  | "revert"
  | "undoRevert"
  | "pushWork"
  | "createPullRequest"
  | "pullRequest"
  | "takeInReview"
  | "issue"
  | "keepIssue"
>;
