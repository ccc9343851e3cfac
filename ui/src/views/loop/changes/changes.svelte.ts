import type { ChangedFileRow, ChangedTexts, Failure } from "../../../host/bindings";
import { asFailure } from "../../../host/failure";
import type { Host } from "../../../host/host";

/** What a run changed: its files, and the one that is looked at. */
export class ChangesOfRun {
  files: readonly ChangedFileRow[] | null = $state.raw(null);
  /** Place of the file that is shown. */
  chosen = $state(0);
  /** Its two versions; null until they were read, or when they are not kept. */
  texts: ChangedTexts | null = $state.raw(null);
  failure: Failure | null = $state.raw(null);
  readonly #host: Host;
  readonly #run: string;

  constructor(host: Host, run: string) {
    this.#host = host;
    this.#run = run;
  }

  async read(): Promise<void> {
    try {
      this.files = await this.#host.runs.runChanges(this.#run);
      this.failure = null;
    } catch (reason) {
      this.failure = asFailure(reason);
      return;
    }
    const first = this.files.findIndex((file) => file.has_text);
    await this.show(Math.max(first, 0));
  }

  /** Reads again what could not be read. */
  retry(): Promise<void> {
    return this.files === null ? this.read() : this.show(this.chosen);
  }

  async show(place: number): Promise<void> {
    this.chosen = place;
    this.texts = null;
    this.failure = null;
    if (!this.files?.[place]?.has_text) return;
    try {
      const texts = await this.#host.runs.runChange(this.#run, place);
      // Another file may have been chosen meanwhile.
      if (this.chosen === place) this.texts = texts;
    } catch (reason) {
      if (this.chosen === place) this.failure = asFailure(reason);
    }
  }
}
