import type { TestCounts, TestEntry } from "../../../host/bindings";
import type { Host } from "../../../host/host";

const SLOWEST = 5;

/** What the tests of a run say together, whatever the table is filtered for. */
export class RunFacts {
  counts: TestCounts | null = $state.raw(null);
  slowest: readonly TestEntry[] = $state.raw([]);
  compared = $state(false);
  /** They are not available: the table says why. */
  failed = $state(false);
  #asked = 0;

  /** Reads them; what an earlier run said goes at once when another one is asked for. */
  async read(host: Host, key: string, run: number, other: boolean): Promise<void> {
    const mine = ++this.#asked;
    if (other) this.clear();
    const asked = {
      run,
      text: "",
      chips: [],
      sort: "slowest" as const,
      toggled: [],
      offset: 0,
      limit: SLOWEST,
    };
    try {
      const page = await host.tests(key, asked);
      if (mine !== this.#asked) return;
      this.counts = page.counts;
      this.compared = page.compared;
      this.failed = false;
      this.slowest = page.lines.flatMap((line) => (line.kind === "test" ? [line] : []));
    } catch {
      if (mine !== this.#asked) return;
      this.clear();
      this.failed = true;
    }
  }

  /** For a run that has none. */
  none(): void {
    this.#asked += 1;
    this.clear();
  }

  private clear(): void {
    this.counts = null;
    this.slowest = [];
    this.compared = false;
    this.failed = false;
  }
}
