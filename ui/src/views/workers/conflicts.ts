import type { ConflictView, WorkerView } from "../../host/bindings";
import { beginning } from "../../words/cut";

/** One worker's side of a conflict. */
export interface Side {
  readonly action: string;
  /** Nothing when it handed in no result. */
  readonly worker: WorkerView | null;
  /** Lines of its details that name the file. */
  readonly lines: readonly string[];
}

/** A file with everybody who changed it. */
export interface Clash {
  readonly file: string;
  readonly resolutions: readonly string[];
  readonly sides: readonly Side[];
}

const LINES = 4;
const LONGEST = 300;

/** Lines of a text that name a file by its path or by its own name. */
export function linesAbout(text: string | null, file: string): string[] {
  const name = file.split(/[/\\]/).at(-1)?.trim() ?? "";
  if (!text || name === "") return [];
  const found = text.split("\n").filter((line) => line.includes(name));
  return found.slice(0, LINES).map((line) => beginning(line.trim(), LONGEST));
}

/** The file holds pairs of workers; of one file a person wants to see all sides at once. */
export function clashesOf(conflicts: readonly ConflictView[], workers: readonly WorkerView[]): Clash[] {
  const byFile = new Map<string, { names: Set<string>; resolutions: Set<string> }>();
  for (const { file, workers: names, resolution } of conflicts) {
    const known = byFile.get(file) ?? { names: new Set(), resolutions: new Set() };
    for (const name of names) known.names.add(name);
    if (resolution !== "") known.resolutions.add(resolution);
    byFile.set(file, known);
  }
  return [...byFile].map(([file, { names, resolutions }]) => ({
    file,
    resolutions: [...resolutions],
    sides: [...names].map((action) => {
      const worker = workers.find((one) => one.action === action) ?? null;
      return { action, worker, lines: linesAbout(worker?.detail ?? null, file) };
    }),
  }));
}
