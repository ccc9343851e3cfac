import type {
  CommentView,
  CommitView,
  Failure,
  FinishState,
  FinishedHow,
  LineRange,
  MergeView,
  MessageView,
  NewComment,
  PullRequest,
  WeakenedTests,
} from "./bindings";
import type { FinishHost } from "./finish-host";
import { failure } from "./memory-list";
import {
  sampleFiles,
  sampleFinishState,
  sampleIssue,
  samplePullRequest,
  type SampleFile,
} from "./sample-finish";

/** What became of the files of a loop, in memory: the same files for every loop. */
export class MemoryFinishing implements FinishHost {
  /** What was asked that changes something, for tests. */
  readonly asked: string[] = [];
  /** Set to make the next operation fail. */
  failNext: Failure | null = null;
  files: SampleFile[] = sampleFiles();
  kept: CommentView[] = [];
  messagesKept: MessageView[] = [];
  state: FinishState = sampleFinishState();
  /** When the loop began; `null` when that is not known. */
  since: number | null = Date.now() - 3_600_000;
  /** What comes of the next commit and the next merge, where it is not done. */
  commitAs: CommitView | null = null;
  mergeAs: MergeView | null = null;
  request: PullRequest | null = null;
  /** What is taken up waits for the end of an agent. */
  waits = false;
  weakened: WeakenedTests = { found: [], is_whole: true };
  #before: SampleFile[] = [];

  loopChanges: FinishHost["loopChanges"] = async () => {
    this.#mayFail();
    const files = this.files.map(({ row }) => ({
      ...row,
      comments: this.kept.filter(({ comment }) => comment.path === row.path).length,
    }));
    const sum = (side: "added" | "removed") =>
      files.reduce((whole, { lines }) => whole + (lines?.[side] ?? 0), 0);
    const lines = { added: sum("added"), removed: sum("removed") };
    const runs = [
      { id: "auth-2", iteration: 2 },
      { id: "auth-6", iteration: 4 },
    ];
    return { since: this.since, files, runs, totals: { files: files.length, lines } };
  };

  weakenedTests: FinishHost["weakenedTests"] = async () => structuredClone(this.weakened);

  loopChange: FinishHost["loopChange"] = async (_key, path) => structuredClone(this.#file(path).texts);

  markViewed: FinishHost["markViewed"] = async (_key, path, fingerprint) => {
    this.#change(`viewed ${path} ${fingerprint ?? "no longer"}`);
    const viewed = fingerprint !== null;
    this.files = this.files.map((file) =>
      file.row.path === path ? { ...file, row: { ...file.row, viewed } } : file,
    );
  };

  messages: FinishHost["messages"] = async () => structuredClone(this.messagesKept);

  addMessage: FinishHost["addMessage"] = async (_key, text) => {
    this.#change(`message ${text}`);
    const id = this.messagesKept.length + 1;
    this.messagesKept = [
      ...this.messagesKept,
      { id, at: Date.now(), by: "ada", about: "", text, run: null, delivered_at: null },
    ];
    return id;
  };

  withdrawMessage: FinishHost["withdrawMessage"] = async (_key, id) => {
    this.#change(`withdraw ${id}`);
    this.messagesKept = this.messagesKept.filter((one) => one.id !== id);
    return null;
  };

  comments: FinishHost["comments"] = async () => {
    this.#mayFail();
    return structuredClone(this.kept);
  };

  addComment: FinishHost["addComment"] = async (_key, comment) => {
    this.#change(`comment ${comment.path ?? "whole"} ${comment.line ?? "file"}`);
    return this.#keep(comment);
  };

  removeComment: FinishHost["removeComment"] = async (_key, id) => {
    this.#change(`remove comment ${id}`);
    this.kept = this.kept.filter((one) => one.id !== id);
  };

  takeUp: FinishHost["takeUp"] = async (_key, ids) => {
    this.#change(`take up ${ids.join(",")}`);
    const isWanted = ({ id, comment }: CommentView) =>
      !comment.taken_at && (ids.length === 0 || ids.includes(id));
    const count = this.kept.filter(isWanted).length;
    this.kept = this.kept.map((one) =>
      isWanted(one)
        ? { ...one, comment: { ...one.comment, taken_at: Date.now(), taken_as: "task" as const } }
        : one,
    );
    return { count, taken_as: count > 0 ? "task" : null, waits: this.waits };
  };

  finishState: FinishHost["finishState"] = async () => {
    this.#mayFail();
    return structuredClone(this.state);
  };

  commitWork: FinishHost["commitWork"] = async (_key, files, message) => {
    this.#change(`commit ${files.join(",")} ${message}`);
    if (this.commitAs) return this.commitAs;
    const committed = this.state.open.filter(({ path, is_state }) =>
      files.length > 0 ? files.includes(path) : !is_state,
    );
    this.state = { ...this.state, open: this.state.open.filter((one) => !committed.includes(one)) };
    this.#finish("committed", COMMIT);
    return { outcome: "done", commit: COMMIT, files: committed.length };
  };

  branchWork: FinishHost["branchWork"] = async (_key, name) => {
    this.#change(`branch ${name}`);
    this.state = { ...this.state, branch: name };
    this.#finish("branched", name);
  };

  mergeWork: FinishHost["mergeWork"] = async () => {
    this.#change("merge");
    if (this.mergeAs) return this.mergeAs;
    this.#finish("merged", COMMIT);
    return { outcome: "done", commit: COMMIT, files: this.files.length };
  };

  keepWork: FinishHost["keepWork"] = async () => {
    this.#change("keep");
    this.#finish("kept", null);
  };

  discardWork: FinishHost["discardWork"] = async () => {
    this.#change("discard");
    this.#finish("discarded", null);
    return { branch: null, files: this.state.open.map(({ path }) => path) };
  };

  revert: FinishHost["revert"] = async (_key, wanted) => {
    this.#change(`revert ${JSON.stringify(wanted)}`);
    const before = this.files;
    const restored = (file: SampleFile): SampleFile[] => {
      if (wanted.kind === "run") return [];
      if (file.row.path !== wanted.path) return [file];
      if (file.texts.fingerprint !== wanted.fingerprint) throw failure("shown_changed");
      return wanted.kind === "file" ? [] : [withLines(file, wanted.before, wanted.after)];
    };
    this.files = before.flatMap(restored);
    this.#before = before;
    const files = before.filter((file) => !this.files.includes(file)).map(({ row }) => row.path);
    this.state = { ...this.state, reverted: files };
    return { files };
  };

  undoRevert: FinishHost["undoRevert"] = async () => {
    this.#change("undo revert");
    const files = this.state.reverted;
    this.files = this.#before;
    this.state = { ...this.state, reverted: [] };
    return { files };
  };

  pushWork: FinishHost["pushWork"] = async () => {
    this.#change("push");
    return { branch: this.state.branch ?? "", remote: this.state.remote ?? "" };
  };

  createPullRequest: FinishHost["createPullRequest"] = async (_key, wanted) => {
    const { title, base, reviewers } = wanted;
    this.#change(`pull request ${title} into ${base ?? "default"} for ${reviewers.join(",")}`);
    this.request = samplePullRequest(wanted.title, wanted.draft);
    return this.request;
  };

  pullRequest: FinishHost["pullRequest"] = async () => {
    this.#mayFail();
    return this.request;
  };

  takeInReview: FinishHost["takeInReview"] = async () => {
    this.#change("take in");
    const reviews = this.request?.reviews ?? [];
    const failed = this.request?.checks.filter(({ state }) => state === "failed") ?? [];
    for (const { path, line, text } of reviews) this.#keep({ path, line, text }, "review");
    for (const { name } of failed) this.#keep({ path: null, line: null, text: name }, "check");
    return { checks: failed.length, reviews: reviews.length };
  };

  issue: FinishHost["issue"] = async (_folder, named) => {
    this.#mayFail();
    const number = Number(/\d+$/.exec(named)?.[0] ?? 1);
    return sampleIssue(number);
  };

  keepIssue: FinishHost["keepIssue"] = async (_key, issue) => this.#change(`issue ${issue.number}`);

  #keep(said: NewComment, source: "here" | "review" | "check" = "here"): number {
    const id = Math.max(0, ...this.kept.map((one) => one.id)) + 1;
    const author = source === "review" ? "ben" : null;
    const origin = source === "here" ? null : `${source} ${id}`;
    const unanswered = { answered_by: null, answered_in: null, line_changed_by: null, line_changed_in: null };
    const later = { quote: null, taken_at: null, taken_as: null };
    const comment = { ...said, ...later, source, author, origin, at: Date.now() };
    this.kept = [...this.kept, { id, comment, ...unanswered }];
    return id;
  }

  #finish(how: FinishedHow, name: string | null): void {
    this.state = { ...this.state, finished: { how, at: Date.now(), name } };
  }

  #file(path: string): SampleFile {
    const file = this.files.find(({ row }) => row.path === path);
    if (!file) throw failure("no_changes");
    return file;
  }

  #change(what: string): void {
    this.#mayFail();
    this.asked.push(what);
  }

  #mayFail(): void {
    const planned = this.failNext;
    this.failNext = null;
    if (planned) throw planned;
  }
}

/** A file with lines of its old version in the place of new ones. */
function withLines({ row, texts }: SampleFile, back: LineRange, gone: LineRange): SampleFile {
  const lines = texts.before.slice(back.first, back.first + back.count);
  const after = texts.after.toSpliced(gone.first, gone.count, ...lines);
  return { row, texts: { ...texts, after, fingerprint: `${texts.fingerprint}, restored` } };
}

const COMMIT = "5a1e0c9d7b3f4a2e8c6d1f0b9a8e7d6c5b4a3f21";
