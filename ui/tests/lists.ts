import { readFileSync } from "node:fs";
import { join } from "node:path";

export const UI = join(import.meta.dirname, "..");

const bindings = readFileSync(join(UI, "src/host/bindings.ts"), "utf8");

/** The words of an enum as the Rust side has them, read from the generated types: nobody keeps a second list. */
export function wordsOf(type: string): string[] {
  const start = bindings.indexOf(`export type ${type} = `);
  if (start < 0) throw new Error(`no type ${type} in the bindings`);
  const body = bindings.slice(start, bindings.indexOf("\n\n", start)).replace(/\/\*\*[\s\S]*?\*\//g, "");
  return [...body.matchAll(/"([\w-]+)"/g)].map((match) => match[1] as string);
}

const RUST = join(UI, "../src-tauri");

export function rustSource(file: string): string {
  return readFileSync(join(RUST, file), "utf8");
}

/** The codes of a Rust enum that travels as text, so that no generated type has it, read from its source. */
export function rustWords(file: string, name: string): string[] {
  const source = rustSource(file);
  const start = source.indexOf(`pub enum ${name} {`);
  if (start < 0) throw new Error(`no enum ${name} in ${file}`);
  const body = source.slice(start, source.indexOf("\n}", start));
  const variants = [...body.matchAll(/^ {4}([A-Z]\w*)/gm)].map((match) => match[1] as string);
  return variants.map((variant) => variant.replace(/(?!^)([A-Z])/g, "_$1").toLowerCase());
}

/** The kinds of a tagged union. */
export function kindsOf(type: string): string[] {
  const start = bindings.indexOf(`export type ${type} = `);
  const body = bindings.slice(start, bindings.indexOf("\n\n", start)).replace(/\/\*\*[\s\S]*?\*\//g, "");
  return [...body.matchAll(/kind: "(\w+)"/g)].map((match) => match[1] as string);
}
