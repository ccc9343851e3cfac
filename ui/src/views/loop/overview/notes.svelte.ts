import type { LoopNotes } from "../../../host/bindings";
import { asFailure } from "../../../host/failure";
import type { Host } from "../../../host/host";
import { Reads } from "../../../state/reads.svelte";

/** What a person is making of the note and labels of a loop. It outlives the form, which goes with its tab. */
class Draft {
  note = $state("");
  labels = $state("");

  constructor({ note, labels }: LoopNotes) {
    this.note = note;
    this.labels = labels.join(", ");
  }
}

/** Unsaved drafts of each window, by the key of the loop. */
const unsaved = new WeakMap<Host, Map<string, Draft>>();

/** Note and labels of one loop, and what the person is making of them. */
export class NotesState extends Reads {
  /** Nothing before they were read. */
  kept: LoopNotes | null = $state.raw(null);
  /** What is being edited. */
  draft: Draft | null = $state.raw(null);

  readonly #host: Host;
  readonly #key: string;
  readonly #drafts: Map<string, Draft>;

  constructor(host: Host, key: string) {
    super();
    this.#host = host;
    this.#key = key;
    this.#drafts = unsaved.get(host) ?? new Map();
    unsaved.set(host, this.#drafts);
    this.draft = this.#drafts.get(key) ?? null;
  }

  edit(): void {
    this.draft = new Draft(this.kept ?? { note: "", labels: [] });
    this.#drafts.set(this.#key, this.draft);
  }

  cancel(): void {
    this.draft = null;
    this.#drafts.delete(this.#key);
    this.failure = null;
  }

  /** Keeps what was edited. Answers whether it is kept; what was typed stays when it is not. */
  async save(labels: string[]): Promise<boolean> {
    const note = this.draft?.note ?? "";
    try {
      await this.#host.keepNotes(this.#key, { note, labels });
    } catch (reason) {
      this.failure = asFailure(reason);
      return false;
    }
    this.cancel();
    await this.read();
    return true;
  }

  protected async readOnce(): Promise<void> {
    this.kept = await this.#host.loopNotes(this.#key);
  }
}
