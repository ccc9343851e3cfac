import type { Direction, DraftedWork, Failure, NewAtom } from "../../host/bindings";
import { asFailure } from "../../host/failure";
import type { RunHost } from "../../host/run-host";

/** Asks where atoms are drawn while they are typed: one question at a time, and the newest atoms always come last. */
export class Drafting {
  work: DraftedWork | null = $state.raw(null);
  direction: Direction = $state("down");
  failure: Failure | null = $state.raw(null);

  readonly #host: RunHost;
  #wanted: { atoms: NewAtom[]; direction: Direction } | null = null;
  #busy = false;

  constructor(host: RunHost) {
    this.#host = host;
  }

  async ask(atoms: NewAtom[], direction: Direction): Promise<void> {
    this.#wanted = { atoms, direction };
    if (this.#busy) return;
    this.#busy = true;
    while (this.#wanted) {
      const { atoms: asked, direction: way } = this.#wanted;
      this.#wanted = null;
      try {
        this.work = await this.#host.draftWork(asked, way);
        this.direction = way;
        this.failure = null;
      } catch (reason) {
        this.failure = asFailure(reason);
      }
    }
    this.#busy = false;
  }
}
