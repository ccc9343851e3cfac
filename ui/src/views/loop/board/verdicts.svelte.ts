import type { Changed, Failure, PastChange } from "../../../host/bindings";
import { asFailure } from "../../../host/failure";
import type { Host } from "../../../host/host";

const MOST = 100;

/** One verdict on a hypothesis, and who wrote it when. */
export interface Verdict {
  readonly at: number;
  readonly who: PastChange["who"];
  readonly change: Changed;
}

/** How the verdict on one hypothesis came about, newest first. Reads follow the file: one at a time, the newest comes last. */
export class Verdicts {
  /** Null until the first answer. */
  all: readonly Verdict[] | null = $state.raw(null);
  failure: Failure | null = $state.raw(null);

  readonly #host: Host;
  #asked = 0;

  constructor(host: Host) {
    this.#host = host;
  }

  async read(key: string, id: string): Promise<void> {
    const mine = ++this.#asked;
    try {
      const [past, told] = await Promise.all([
        this.#host.pastChanges(key, MOST),
        this.#host.hypothesisChanges(key, MOST),
      ]);
      if (mine !== this.#asked) return;
      const all = [...past, ...told].sort((left, right) => right.at - left.at);
      this.all = verdictsOn(all, id);
      this.failure = null;
    } catch (reason) {
      if (mine === this.#asked) this.failure = asFailure(reason);
    }
  }
}

export function verdictsOn(past: readonly PastChange[], id: string): Verdict[] {
  return past.flatMap(({ at, who, changes }) =>
    changes
      .filter((change) => change.what === "hypothesis" && change.id === id)
      .map((change) => ({ at, who, change })),
  );
}
