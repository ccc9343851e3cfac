import type { TestCounts, TestEntry } from "../../../host/bindings";
import type { Host } from "../../../host/host";

const SLOWEST = 5;

/** What the tests of a run say together, whatever the table is filtered for. */
export interface RunFacts {
  readonly counts: TestCounts;
  readonly slowest: readonly TestEntry[];
  /** There is a run before it. */
  readonly compared: boolean;
}

export async function readRunFacts(host: Host, key: string, run: number): Promise<RunFacts> {
  const asked = {
    run,
    text: "",
    chips: [],
    sort: "slowest" as const,
    toggled: [],
    offset: 0,
    limit: SLOWEST,
  };
  const { counts, compared, lines } = await host.tests(key, asked);
  return { counts, compared, slowest: lines.flatMap((line) => (line.kind === "test" ? [line] : [])) };
}
