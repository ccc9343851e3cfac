import { getContext, setContext } from "svelte";
import type { LoopRow, PullRequest } from "../../host/bindings";
import type { Host } from "../../host/host";
import { Read } from "../../state/query.svelte";

/** A page that is opened again so soon, in milliseconds, says what was seen last. */
const SOON = 60_000;

/** Looks at the pull request of one loop while its page is open. What was seen comes with the loop's row. */
export class PullRequestLook extends Read<PullRequest | null> {
  readonly #host: Host;
  readonly #key: string;
  #looked = false;

  constructor(host: Host, key: string) {
    super();
    this.#host = host;
    this.#key = key;
  }

  /** The page shows this row: once, its pull request is looked at, unless that was done a moment ago. */
  watch({ pull_request: seen }: LoopRow): void {
    if (this.#looked || !seen) return;
    this.#looked = true;
    if (Date.now() - (seen.seen ?? 0) >= SOON) void this.read();
  }

  protected readOnce(): Promise<PullRequest | null> {
    return this.#host.finishing.pullRequest(this.#key, true);
  }
}

const KEY = Symbol("pull-request");

export const providePullRequestLook = (look: PullRequestLook) => setContext(KEY, look);

/** That of the loop whose page this is. */
export const usePullRequestLook = (host: Host, key: string): PullRequestLook =>
  getContext<PullRequestLook | undefined>(KEY) ?? new PullRequestLook(host, key);
