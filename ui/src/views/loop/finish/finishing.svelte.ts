import type {
  CommentView,
  Failure,
  FinishState,
  LoopChanges,
  LoopFileTexts,
  PullRequest,
} from "../../../host/bindings";
import { asFailure } from "../../../host/failure";
import type { FinishHost } from "../../../host/finish-host";

/** What came of something that was done: a sentence, and the files or the text of another program that it is about. */
export interface Result {
  readonly text: string;
  readonly files?: readonly string[];
  readonly output?: string;
  /** Nothing was done. */
  readonly isRefused?: boolean;
}

/** Everything that the dialog shows of a loop's work, and the one way to change it. */
export class Finishing {
  changes: LoopChanges | null = $state.raw(null);
  state: FinishState | null = $state.raw(null);
  comments: readonly CommentView[] = $state.raw([]);
  request: PullRequest | null = $state.raw(null);
  /** The file that is shown. */
  path: string | null = $state(null);
  texts: LoopFileTexts | null = $state.raw(null);
  /** The line of it, from 1, that the next comment is about. */
  line: number | null = $state(null);
  result: Result | null = $state.raw(null);
  failure: Failure | null = $state.raw(null);
  isBusy = $state(false);
  readonly host: FinishHost;
  readonly key: string;
  #again: () => Promise<unknown> = () => this.read();

  constructor(host: FinishHost, key: string, path: string | null = null) {
    this.host = host;
    this.key = key;
    this.path = path;
  }

  /** Files that a commit of everything has. */
  get open(): string[] {
    return (this.state?.open ?? []).filter(({ is_state }) => !is_state).map(({ path }) => path);
  }

  /** Reads everything again, and shows the same file as before, or the first. */
  async read(): Promise<void> {
    const { host, key } = this;
    try {
      [this.changes, this.state, this.comments, this.request] = await Promise.all([
        host.loopChanges(key),
        host.finishState(key),
        host.comments(key),
        host.pullRequest(key, false),
      ]);
      this.failure = null;
    } catch (reason) {
      this.fail(reason, () => this.read());
      return;
    }
    const { files } = this.changes;
    const shown = files.find(({ path }) => path === this.path) ?? files[0];
    if (shown) await this.show(shown.path);
    else this.path = this.texts = null;
  }

  async show(path: string): Promise<void> {
    if (path !== this.path) this.texts = this.line = null;
    this.path = path;
    try {
      const texts = await this.host.loopChange(this.key, path);
      // Another file may have been chosen meanwhile.
      if (this.path === path) this.texts = texts;
    } catch (reason) {
      if (this.path === path) this.fail(reason, () => this.show(path));
    }
  }

  /** Does something once, shows what came of it, and reads everything again. Answers whether it was done. */
  async act(work: () => Promise<Result | null>): Promise<boolean> {
    if (this.isBusy) return false;
    this.isBusy = true;
    this.failure = this.result = null;
    try {
      this.result = await work();
      await this.read();
      return true;
    } catch (reason) {
      // Of what is no longer as it was shown, the same can't be asked again.
      const isStale = asFailure(reason).kind === "shown_changed";
      this.fail(reason, () => (isStale ? this.read() : this.act(work)));
      return false;
    } finally {
      this.isBusy = false;
    }
  }

  /** Tries what failed last again. */
  retry(): void {
    this.failure = null;
    void this.#again();
  }

  /** Shows what went wrong; `again` is what the person can try again. */
  fail(reason: unknown, again: () => Promise<unknown>): void {
    this.failure = asFailure(reason);
    this.#again = again;
  }
}
