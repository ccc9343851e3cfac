import type { CommitDraft, CommitView, MergeView } from "../../../host/bindings";
import { say, t } from "../../../words/language.svelte";
import type { Result } from "./finishing.svelte";

/** So much of the name of a commit tells it apart. */
const SHORT = 10;

/** A message for a commit, in the person's language: what the loop is, what is done of it, its tests. */
export function draftedMessage(draft: CommitDraft): string {
  const done = draft.done.map((one) => `- ${one}`);
  if (draft.more > 0) done.push(`- ${say(t.common.andMore, { count: draft.more })}`);
  const { passed, failed } = draft;
  const tests = passed === null || failed === null ? "" : say(t.finish.tests, { passed, failed });
  // This word is read by GitHub and GitLab: it is the same in every language.
  const closes = draft.closes === null ? "" : `Closes #${draft.closes}`;
  return [draft.title, done.join("\n"), tests, closes].filter((part) => part !== "").join("\n\n");
}

/** What came of a commit. */
export function committed(view: CommitView): Result {
  switch (view.outcome) {
    case "done":
      return { text: say(t.finish.committed, { count: view.files, commit: view.commit.slice(0, SHORT) }) };
    case "refused_by_hook":
      return { text: t.finish.hookRefused, output: view.said, isRefused: true };
    case "nothing":
      return { text: t.finish.nothingToCommit };
  }
}

/** What came of a merge into `branch`, which is checked out in `folder`. */
export function merged(view: MergeView, branch: string, folder: string): Result {
  switch (view.outcome) {
    case "done":
      return { text: say(t.finish.merged, { count: view.files, branch }) };
    case "nothing":
      return { text: t.finish.nothingToMerge };
    case "not_committed":
      return { text: t.finish.notCommitted, files: view.files, isRefused: true };
    case "conflict":
      return { text: t.finish.conflict, files: view.files, isRefused: true };
    case "in_the_way":
      return { text: say(t.finish.inTheWay, { folder }), files: view.files, isRefused: true };
  }
}
