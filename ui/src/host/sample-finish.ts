import type { FinishState, Issue, LoopFileRow, LoopFileTexts, PullRequest } from "./bindings";
import { SAMPLE_CHANGES } from "./sample-run-changes";

/** One file of the sample that changed since its loop began. */
export interface SampleFile {
  readonly row: LoopFileRow;
  readonly texts: LoopFileTexts;
}

/** The files that the loop changed, none of them viewed. */
export function sampleFiles(): SampleFile[] {
  return SAMPLE_CHANGES.map(({ file, texts }, at) => ({
    row: {
      path: file.path,
      from: null,
      kind: file.kind,
      lines: file.lines,
      is_submodule: false,
      run: "auth-6",
      iteration: 4,
      changed_by: at === 1 ? [0, 1] : [1],
      viewed: false,
      comments: 0,
    },
    texts: {
      before: texts?.before ?? [],
      after: texts?.after ?? [],
      fingerprint: `version-${at}`,
      has_text: file.has_text,
      has_hunks: file.has_text,
    },
  }));
}

/** A loop in a worktree, whose files are not committed. */
export function sampleFinishState(): FinishState {
  const open = sampleFiles().map(({ row }) => ({ path: row.path, staged: false, is_state: false }));
  const state = { path: ".workflow/.loop/loop-v2.json", staged: false, is_state: true };
  return {
    branch: "loopdeck/sign-in",
    worktree: { main: "~/code/storefront", main_branch: "main", own_commits: 0 },
    open: [state, ...open],
    hooks: ["pre-commit"],
    draft: {
      title: "Implement user sign-in",
      done: ["Look users up without case"],
      more: 0,
      passed: 42,
      failed: 0,
      closes: 7,
    },
    remote: "github.com/ana/storefront",
    base: "main",
    reverted: [],
    finished: null,
  };
}

/** A pull request with a check that failed and a reviewer who wants a change. */
export function samplePullRequest(title: string, isDraft: boolean): PullRequest {
  return {
    number: 12,
    url: "https://github.com/ana/storefront/pull/12",
    title,
    state: isDraft ? "draft" : "open",
    review: "changes_requested",
    checks: [
      { name: "CI / lint", state: "passed", url: null },
      { name: "CI / tests", state: "failed", url: "https://github.com/ana/storefront/actions/runs/5" },
    ],
    reviews: [{ id: "r1", author: "ben", path: null, line: null, text: "Say why the address is trimmed." }],
  };
}

/** An issue, whose text is nobody's instruction. */
export function sampleIssue(number: number): Issue {
  return {
    number,
    url: `https://github.com/ana/storefront/issues/${number}`,
    title: "Sign-in fails",
    body: "With capitals in the address, <b>nobody</b> can sign in.\n\n- [ ] Compare without case",
  };
}
