import type { AtomView } from "../../../host/bindings";

/** What an atom that is resolved left behind: its binding, to be read as a document. */
export interface ResultDocument {
  readonly atom: AtomView;
  /** Names it in a place and in the list; no file of a loop has such a name. */
  readonly name: string;
}

const PREFIX = "result:";

/** Whether a place names the result of an atom. */
export function isResult(item: string | null): boolean {
  return item?.startsWith(PREFIX) ?? false;
}

/** The place of an atom's result among the files. */
export function resultName(id: string): string {
  return `${PREFIX}${id}`;
}

/** Results of a loop, in the order of its file. A damaged file can hold an id twice: each result has a name of its own. */
export function resultsOf(atoms: readonly AtomView[]): ResultDocument[] {
  const names = new Set<string>();
  return atoms
    .filter((atom) => atom.has_result)
    .map((atom) => {
      const first = resultName(atom.id);
      let name = first;
      for (let number = 2; names.has(name); number += 1) name = `${first} (${number})`;
      names.add(name);
      return { atom, name };
    });
}

/** As a person would save it. */
export function resultText({ id, description, summary, artifacts }: AtomView): string {
  const list = artifacts.map((file) => `- ${file}`).join("\n");
  return [`# ${id} ${description}`, (summary ?? "").trim(), list].filter((part) => part !== "").join("\n\n");
}
