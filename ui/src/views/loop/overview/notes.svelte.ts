import type { LoopNotes } from "../../../host/bindings";
import type { Host } from "../../../host/host";
import { Deed } from "../../../state/deed.svelte";
import { Read } from "../../../state/query.svelte";

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
export class NotesState extends Read<LoopNotes> {
  /** Keeps what was edited. */
  readonly deed = new Deed();
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
    this.draft = new Draft(this.value ?? { note: "", labels: [] });
    this.#drafts.set(this.#key, this.draft);
  }

  discard(): void {
    this.draft = null;
    this.#drafts.delete(this.#key);
    this.deed.failure = null;
  }

  /** Keeps what was edited. Answers whether it is kept; what was typed stays when it is not. */
  async save(labels: string[]): Promise<boolean> {
    const note = this.draft?.note ?? "";
    if (!(await this.deed.do(() => this.#host.keepNotes(this.#key, { note, labels })))) return false;
    this.discard();
    await this.read();
    return true;
  }

  protected readOnce(): Promise<LoopNotes> {
    return this.#host.loopNotes(this.#key);
  }
}
