import type { ChecklistRow, CheckType, WorkerNow } from "../../../host/bindings";
import { isNamed } from "./verifications";

/** Which checks the processes of a completion check are about. */
const TYPES: Readonly<Record<string, readonly CheckType[]>> = {
  check: ["command", "not_command"],
  judge: ["quality"],
};
/** A judge gets the place of its check in the list, from 1. */
const PLACE = /^check-(\d+)$/;

/** The process that is at work on each check now. */
export function checksAtWork(
  rows: readonly ChecklistRow[],
  workers: readonly WorkerNow[],
): ReadonlyMap<ChecklistRow, WorkerNow> {
  const found = new Map<ChecklistRow, WorkerNow>();
  for (const worker of workers) {
    const types = Object.hasOwn(TYPES, worker.action) ? TYPES[worker.action]! : [];
    if (types.length === 0 || worker.task === null) continue;
    const { task } = worker;
    const fits = (row: ChecklistRow | undefined): row is ChecklistRow =>
      row?.kind === "check" && row.check_type !== null && types.includes(row.check_type) && !found.has(row);
    const place = worker.action === "judge" ? PLACE.exec(task) : null;
    const placed = place ? rows[Number(place[1]) - 1] : undefined;
    const row = fits(placed) ? placed : rows.find((one) => fits(one) && isNamed(task, one));
    if (row) found.set(row, worker);
  }
  return found;
}
