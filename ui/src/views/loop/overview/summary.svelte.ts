import type { LoopRow, LoopSummary } from "../../../host/bindings";
import { Answer } from "../../../state/reads.svelte";

/** What happened in one loop. Follows the loop's row. */
export class Summary extends Answer<LoopSummary> {
  #seen = "";

  /** Only a new version of the file and the end of a run change what is told. */
  follow({ changed, word, run }: LoopRow): void {
    const about = JSON.stringify([changed, word, run?.alive, run?.action]);
    if (about === this.#seen) return;
    this.#seen = about;
    void this.read();
  }
}
