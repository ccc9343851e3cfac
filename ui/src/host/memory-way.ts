import type { CommentView, Finished, FinishState, LoopFileRow, NewComment, PullRequest } from "./bindings";
import type { Host } from "./host";
import { MemoryDesktop } from "./memory-desktop";

const NOTHING_OPEN: FinishState = {
  branch: "main",
  worktree: null,
  open: [],
  hooks: [],
  draft: { title: "", done: [], more: 0, passed: null, failed: null, closes: null },
  remote: null,
  reverted: [],
  finished: null,
};

/** What became of a loop's files and what a person does with them, in memory: one loop has all of it. */
export class MemoryWay extends MemoryDesktop {
  /** Files that changed since the loop began. */
  changedFiles: LoopFileRow[] = [];
  /** What can be done with the work. */
  finishing: FinishState = structuredClone(NOTHING_OPEN);
  /** Comments, oldest first. */
  said: CommentView[] = [];
  /** The pull request, once there is one. */
  pulled: PullRequest | null = null;

  loopChanges: Host["loopChanges"] = async () => {
    const files = structuredClone(this.changedFiles);
    const sum = (of: "added" | "removed") => files.reduce((all, file) => all + (file.lines?.[of] ?? 0), 0);
    const lines = { added: sum("added"), removed: sum("removed") };
    return { since: null, files, totals: { files: files.length, lines } };
  };
  loopChange: Host["loopChange"] = async () => {
    return { before: [], after: [], fingerprint: "gone", has_text: false, has_hunks: false };
  };
  markViewed: Host["markViewed"] = async (_key, path, fingerprint) => {
    for (const file of this.changedFiles) if (file.path === path) file.viewed = fingerprint !== null;
    return null;
  };
  comments: Host["comments"] = async () => structuredClone(this.said);
  addComment: Host["addComment"] = async (_key, { path, line, text }: NewComment) => {
    const id = this.said.length + 1;
    const whole = { path, line, text, quote: null, at: 0, source: "here" as const };
    const comment = { ...whole, author: null, origin: null, taken_at: null, taken_as: null };
    this.said.push({ id, comment, answered_by: null, answered_in: null });
    return id;
  };
  removeComment: Host["removeComment"] = async (_key, id) => {
    this.said = this.said.filter((view) => view.id !== id);
    return null;
  };
  takeUp: Host["takeUp"] = async (_key, ids) => {
    const meant = this.said.filter((view) => ids.length === 0 || ids.includes(view.id));
    for (const view of meant) Object.assign(view.comment, { taken_at: 0, taken_as: "task" });
    return { count: meant.length, taken_as: meant.length === 0 ? null : "task" };
  };
  finishState: Host["finishState"] = async () => structuredClone(this.finishing);
  commitWork: Host["commitWork"] = async (_key, files) => {
    this.#finished("committed", null);
    return { outcome: "done", commit: "0".repeat(40), files: files.length };
  };
  branchWork: Host["branchWork"] = async (_key, name) => {
    this.finishing.branch = name;
    this.#finished("branched", name);
    return null;
  };
  mergeWork: Host["mergeWork"] = async () => ({ outcome: "nothing" });
  keepWork: Host["keepWork"] = async () => {
    this.#finished("kept", null);
    return null;
  };
  discardWork: Host["discardWork"] = async () => ({ branch: null, files: [] });
  revert: Host["revert"] = async (_key, wanted) => ({ files: wanted.kind === "run" ? [] : [wanted.path] });
  undoRevert: Host["undoRevert"] = async () => ({ files: [...this.finishing.reverted] });
  pushWork: Host["pushWork"] = async () => ({ branch: this.finishing.branch ?? "", remote: "" });
  createPullRequest: Host["createPullRequest"] = async (_key, { title, draft }) => {
    const url = "https://github.com/example/shop/pull/1";
    this.pulled = {
      number: 1,
      url,
      title,
      state: draft ? "draft" : "open",
      review: "none",
      checks: [],
      reviews: [],
    };
    return structuredClone(this.pulled);
  };
  pullRequest: Host["pullRequest"] = async () => structuredClone(this.pulled);
  takeInReview: Host["takeInReview"] = async () => ({ checks: 0, reviews: 0 });
  issue: Host["issue"] = async (_folder, named) => ({ number: 1, title: named, body: "", url: "" });
  keepIssue: Host["keepIssue"] = async () => null;

  #finished(how: Finished["how"], name: string | null) {
    this.finishing.finished = { how, at: 0, name };
  }
}
