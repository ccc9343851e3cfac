import type { PullRequestFacts } from "../host/bindings";
import { say, t } from "./language.svelte";

const isOpen = ({ state }: PullRequestFacts): boolean => state === "open" || state === "draft";

/** Whether something of it has to be worked on. */
export const needsWork = (seen: PullRequestFacts): boolean =>
  isOpen(seen) && (seen.failed > 0 || seen.review === "changes_requested");

/** What became of it: its state, and while it is open its checks and reviews. */
export function pullRequestText(seen: PullRequestFacts): string {
  const { state, review, passed, failed, pending } = seen;
  const parts = [t.pullRequest.state[state]];
  if (isOpen(seen)) {
    if (failed > 0) parts.push(say(t.pullRequest.checksFailed, { count: failed }));
    if (pending > 0) parts.push(say(t.pullRequest.checksRunning, { count: pending }));
    if (failed + pending === 0 && passed > 0) parts.push(say(t.pullRequest.checksPassed, { count: passed }));
    parts.push(t.pullRequest.review[review]);
  }
  return parts.join(" · ");
}
