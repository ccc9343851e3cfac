import type { Failure, LoopNotes } from "../../../host/bindings";
import { asFailure } from "../../../host/failure";
import type { Host } from "../../../host/host";
import { Turns } from "../../../state/turns";

/** Note and labels of one loop, and what the person is making of them. */
export class NotesState {
  /** Nothing before they were read. */
  kept: LoopNotes | null = $state.raw(null);
  /** What is being edited. */
  note = $state("");
  labels = $state("");
  editing = $state(false);
  failure: Failure | null = $state.raw(null);

  readonly #host: Host;
  readonly #key: string;
  readonly #turns = new Turns(() => this.#readOnce());

  constructor(host: Host, key: string) {
    this.#host = host;
    this.#key = key;
  }

  read(): Promise<void> {
    return this.#turns.take();
  }

  edit(): void {
    this.note = this.kept?.note ?? "";
    this.labels = this.kept?.labels.join(", ") ?? "";
    this.editing = true;
  }

  cancel(): void {
    this.editing = false;
    this.failure = null;
  }

  /** Keeps what was edited. Answers whether it is kept; what was typed stays when it is not. */
  async save(labels: string[]): Promise<boolean> {
    try {
      await this.#host.keepNotes(this.#key, { note: this.note, labels });
    } catch (reason) {
      this.failure = asFailure(reason);
      return false;
    }
    this.cancel();
    await this.read();
    return true;
  }

  async #readOnce(): Promise<void> {
    try {
      this.kept = await this.#host.loopNotes(this.#key);
      this.failure = null;
    } catch (reason) {
      this.failure = asFailure(reason);
    }
  }
}
