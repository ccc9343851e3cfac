import type { FoundLoop } from "../host/bindings";
import type { Host } from "../host/host";
import { Read, type Asking } from "./query.svelte";

/** Loops that are shown at first, and that each “Show more” adds. */
const STEP = 50;

/** What the person looks for in all loops. It stays while they look at what was found. */
export class SearchState extends Read<readonly FoundLoop[]> {
  text = $state("");
  /** The text that `loops` is the answer to; nothing was looked for before. */
  answeredText: string | null = $state.raw(null);
  /** Loops that are not in the index yet. */
  left = $state(0);
  /** Loops whose files could not be read. */
  unread = $state(0);
  /** There may be more. */
  more = $state(false);

  readonly #host: Host;
  #most = STEP;

  constructor(host: Host) {
    super();
    this.#host = host;
  }

  /** Looks for a text; answers when it was looked for, or for what came after it. */
  look(text: string): Promise<void> {
    this.text = text;
    this.#most = STEP;
    return this.read();
  }

  showMore(): Promise<void> {
    this.#most += STEP;
    return this.read();
  }

  /** What was found of the text so far. */
  get loops(): readonly FoundLoop[] {
    return this.value ?? [];
  }

  /** Reads answer after answer until there are enough. A new text ends it: another turn looks for that. */
  protected async readOnce(_: null, { show }: Asking<readonly FoundLoop[]>): Promise<readonly FoundLoop[]> {
    const { text } = this;
    let from = 0;
    let unread = 0;
    let found: readonly FoundLoop[] = [];
    while (text === this.text) {
      const answer = await this.#host.search(text, from);
      if (text !== this.text) break;
      found = [...found, ...answer.loops];
      unread += answer.unread;
      // What was found before stays until there is something to show in its place.
      const isSame = this.answeredText === text;
      if (!isSame || found.length >= this.loops.length || answer.next === null) show(found);
      this.answeredText = text;
      [this.left, this.unread, this.more] = [answer.left, unread, answer.next !== null];
      if (answer.next !== null && found.length < this.#most) from = answer.next;
      else if (answer.left > 0) [from, unread, found] = [0, 0, []];
      else break;
    }
    return this.loops;
  }
}
