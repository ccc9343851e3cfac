import type { Failure, LoopRow, WeakenedTests } from "../../../host/bindings";
import type { Host } from "../../../host/host";
import { Reads } from "../../../state/reads.svelte";

/** Folders of which git is not asked: that there is nothing to compare is no news here. */
const WITHOUT_GIT: readonly Failure["kind"][] = ["untrusted", "git_refused"];

/** What weakens tests in the changes of one loop. Follows the loop's row. */
export class Weakened extends Reads {
  value: WeakenedTests | null = $state.raw(null);

  readonly #host: Host;
  readonly #key: string;
  #seen = "";

  constructor(host: Host, key: string) {
    super();
    this.#host = host;
    this.#key = key;
  }

  /** Git reads every changed file: it is asked when the work comes to a halt, not while it goes on. */
  follow(row: LoopRow): void {
    const about = JSON.stringify([row.word, row.run?.alive, row.run?.action, row.iteration?.current]);
    if (about === this.#seen) return;
    this.#seen = about;
    void this.read();
  }

  /** Why it is not known, where that is worth telling. */
  get trouble(): Failure | null {
    return this.failure && !WITHOUT_GIT.includes(this.failure.kind) ? this.failure : null;
  }

  protected async readOnce(): Promise<void> {
    this.value = await this.#host.finishing.weakenedTests(this.#key);
  }
}
