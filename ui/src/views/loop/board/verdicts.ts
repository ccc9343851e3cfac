import type { Changed, PastChange } from "../../../host/bindings";
import type { Host } from "../../../host/host";

const MOST = 100;

/** One verdict on a hypothesis, and who wrote it when. */
export interface Verdict {
  readonly at: number;
  readonly who: PastChange["who"];
  readonly change: Changed;
}

/** How the verdict on one hypothesis came about, newest first. */
export async function readVerdicts(host: Host, key: string, id: string): Promise<Verdict[]> {
  const [past, told] = await Promise.all([host.pastChanges(key, MOST), host.hypothesisChanges(key, MOST)]);
  return verdictsOn(
    [...past, ...told].sort((left, right) => right.at - left.at),
    id,
  );
}

export function verdictsOn(past: readonly PastChange[], id: string): Verdict[] {
  return past.flatMap(({ at, who, changes }) =>
    changes
      .filter((change) => change.what === "hypothesis" && change.id === id)
      .map((change) => ({ at, who, change })),
  );
}
