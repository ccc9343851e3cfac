import type { TestEntry } from "../../../host/bindings";

const BETWEEN = " › ";
const RUN = /^run-(\d{1,6})$/;

/** Names a test in a link, whatever run is shown. */
export function testItem(test: Pick<TestEntry, "suite" | "name">): string {
  return test.suite === "" ? test.name : `${test.suite}${BETWEEN}${test.name}`;
}

export function itemOfRun(run: number): string {
  return `run-${run + 1}`;
}

/** The run an item names, 0-based; null when it names a test. */
export function runOfItem(item: string): number | null {
  const found = RUN.exec(item);
  return found ? Number(found[1]) - 1 : null;
}

/** Words to filter for, so that the test of an item is among what remains. */
export function wordsOfItem(item: string): string {
  return item.split(BETWEEN).join(" ").trim();
}
