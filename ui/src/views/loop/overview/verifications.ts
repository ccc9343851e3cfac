import type { AotVerification, ChecklistRow, CheckOutcome, LoopRow } from "../../../host/bindings";

/** What changes the results of the checks of a loop: output of agents does not; the end of a run, an answer and a new version of the file do. */
export function whatVerifies({ changed, word, run }: LoopRow): unknown {
  const runs = run?.workers.map((worker) => worker.run);
  return [changed, word, run?.alive, run?.action, run?.needs, runs];
}

/** A name as the core keeps it next to a result: in one line, and cut where it is long. */
const one = (text: string) => text.replace(/\s+/g, " ").trim();

/** Whether the name that the core keeps of a check is the name of this one. */
export function isNamed(name: string, row: ChecklistRow | undefined): boolean {
  if (row?.kind !== "check") return false;
  const known = one(name).replace(/…$/, "");
  return [row.item, row.value ?? "", row.rubric[0]?.criterion ?? ""].some((name) =>
    known === "" ? one(name) === "" : one(name).startsWith(known),
  );
}

/** The result of each row; of a checklist that has changed since, only what still is the same check. */
export function outcomesOf(
  rows: readonly ChecklistRow[],
  verification: AotVerification | undefined,
): ReadonlyMap<ChecklistRow, CheckOutcome> {
  const outcomes = new Map<ChecklistRow, CheckOutcome>();
  for (const outcome of verification?.results ?? []) {
    const row = rows[outcome.row];
    if (row && isNamed(outcome.item, row)) outcomes.set(row, outcome);
  }
  return outcomes;
}

/** Whether a verification is about the work and the checks as they are in the file. Without a word from the backend, later rounds
 * and other checks make it old. */
export function isCurrent(
  verification: AotVerification,
  rows: readonly ChecklistRow[],
  iteration: number | undefined,
): boolean {
  if (verification.current !== undefined) return verification.current;
  if (iteration !== undefined && verification.iteration < iteration) return false;
  return outcomesOf(rows, verification).size === verification.results.length;
}

/** How many checks passed. */
export function passedOf({ results }: Pick<AotVerification, "results">): number {
  return results.filter(({ verdict }) => verdict === "pass").length;
}
