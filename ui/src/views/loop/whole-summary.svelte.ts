import type { AtomView, Failure } from "../../host/bindings";
import { asFailure } from "../../host/failure";
import type { Host } from "../../host/host";

type Result = Pick<AtomView, "id" | "summary" | "summary_cut">;

/** The whole result of the atom on screen, where the loop's page has only its beginning. */
export class WholeSummary {
  failure: Failure | null = $state.raw(null);

  readonly #host: Host;
  readonly #key: string;
  #whole: { readonly of: Result; readonly text: string } | null = $state.raw(null);
  #asked = "";

  constructor(host: Host, key: string) {
    this.#host = host;
    this.#key = key;
  }

  /** What is known of it: its beginning until the rest is there. */
  of(atom: Result): string {
    const whole = this.#whole;
    const known = whole?.of.id === atom.id && whole.of.summary === atom.summary;
    return (known && atom.summary_cut ? whole.text : atom.summary) ?? "";
  }

  /** Asks for the rest, once for each version of the file, which was written at `changed`. */
  async follow(atom: Result, changed: number | null): Promise<void> {
    const asked = atom.summary_cut ? JSON.stringify([atom.id, atom.summary, changed]) : "";
    if (asked === this.#asked) return;
    this.#asked = asked;
    this.failure = null;
    if (asked !== "") await this.#ask(atom, asked);
  }

  /** Asks again for what did not come. */
  async retry(atom: Result): Promise<void> {
    this.failure = null;
    if (this.#asked !== "") await this.#ask(atom, this.#asked);
  }

  async #ask(atom: Result, asked: string): Promise<void> {
    try {
      const text = await this.#host.atomSummary(this.#key, atom.id);
      if (this.#asked === asked) this.#whole = { of: atom, text: text ?? "" };
    } catch (reason) {
      if (this.#asked === asked) this.failure = asFailure(reason);
    }
  }
}
