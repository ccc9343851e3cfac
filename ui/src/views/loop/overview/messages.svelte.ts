import type { MessageView } from "../../../host/bindings";
import type { Host } from "../../../host/host";
import { Deed } from "../../../state/deed.svelte";
import { Read } from "../../../state/query.svelte";

/** What is typed and not said yet, by the key of the loop, of each window. */
const unsaid = new WeakMap<Host, Map<string, string>>();

/** The messages to the agents of a loop, and the one that the person is writing. */
export class Messages extends Read<readonly MessageView[]> {
  /** Adds or withdraws one. */
  readonly deed = new Deed();
  /** What is being typed. */
  draft = $state("");

  readonly #host: Host;
  readonly #key: string;
  readonly #drafts: Map<string, string>;

  constructor(host: Host, key: string) {
    super();
    this.#host = host;
    this.#key = key;
    this.#drafts = unsaid.get(host) ?? new Map();
    unsaid.set(host, this.#drafts);
    this.draft = this.#drafts.get(key) ?? "";
  }

  /** Keeps what is typed for when the person comes back to this page. */
  leave(): void {
    this.#drafts.set(this.#key, this.draft);
  }

  /** Says what was typed; it stays in the field when it can't be said. */
  say(): Promise<void> {
    return this.#do(async () => {
      await this.#host.finishing.addMessage(this.#key, this.draft);
      this.draft = "";
    });
  }

  withdraw(id: number): Promise<void> {
    return this.#do(async () => void (await this.#host.finishing.withdrawMessage(this.#key, id)));
  }

  async #do(change: () => Promise<void>): Promise<void> {
    if (this.deed.busy) return;
    await this.deed.do(change);
    await this.read();
  }

  get all(): readonly MessageView[] {
    return this.value ?? [];
  }

  protected readOnce(): Promise<MessageView[]> {
    return this.#host.finishing.messages(this.#key);
  }
}
