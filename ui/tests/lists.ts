import { readFileSync } from "node:fs";
import { join } from "node:path";

export const UI = join(import.meta.dirname, "..");

const bindings = readFileSync(join(UI, "src/host/bindings.ts"), "utf8");

/** The words of an enum as the Rust side has them, read from the generated types: nobody keeps a second list. */
export function wordsOf(type: string): string[] {
  const start = bindings.indexOf(`export type ${type} = `);
  if (start < 0) throw new Error(`no type ${type} in the bindings`);
  const body = bindings.slice(start, bindings.indexOf("\n\n", start)).replace(/\/\*\*[\s\S]*?\*\//g, "");
  return [...body.matchAll(/"(\w+)"/g)].map((match) => match[1] as string);
}

/** The kinds of a tagged union. */
export function kindsOf(type: string): string[] {
  const start = bindings.indexOf(`export type ${type} = `);
  const body = bindings.slice(start, bindings.indexOf("\n\n", start)).replace(/\/\*\*[\s\S]*?\*\//g, "");
  return [...body.matchAll(/kind: "(\w+)"/g)].map((match) => match[1] as string);
}
