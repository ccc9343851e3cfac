/**
 * Which English messages the window may show before any part of it that is loaded later: those that the code of its start names.
 * All others come with the first such part.
 */
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** What a file of a catalogue has: messages by section. */
export type Sections = Record<string, Record<string, unknown>>;

const SRC = join(import.meta.dirname, "../src");
const IMPORT = /^\s*(?:import|export)\s(?!type\s)(?:[^"';]*?\sfrom\s)?"(\.[^"]+)"/gm;
/** `t.fact` or `t.fact.loops`. */
const NAMED = /\bt\s*\.(\w+)(?:\s*\.(\w+))?/g;
/** All of the catalogue, or a section that only the running program knows. */
const UNNAMED = /\bt\[|[(=,:]\s*t\s*[,;)]/;

/** The texts of a file and of all that it imports before it runs, by path. */
function textsFrom(entry: string): Map<string, string> {
  const texts = new Map<string, string>();
  const open = [entry];
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    if (texts.has(file)) continue;
    const text = readFileSync(file, "utf8");
    texts.set(file, text);
    for (const [, name = ""] of text.matchAll(IMPORT)) {
      const path = join(dirname(file), name);
      const found = [path, `${path}.ts`].find((one) => /\.(?:ts|svelte)$/.test(one) && existsSync(one));
      if (found) open.push(found);
    }
  }
  return texts;
}

/** The messages that the start names, by section; null means all of a section. */
function namedAtStart(): Map<string, Set<string> | null> {
  // What puts sentences together is where `t` itself is made, which is not read.
  const named = new Map<string, Set<string> | null>([["units", null]]);
  for (const [file, text] of textsFrom(join(SRC, "main.ts"))) {
    if (file.endsWith("language.svelte.ts")) continue;
    if (UNNAMED.test(text))
      throw new Error(`${file} must name the messages that it shows: t.section.message`);
    for (const [, section = "", message] of text.matchAll(NAMED)) {
      const known = named.get(section);
      if (message === undefined) named.set(section, null);
      else if (known !== null) named.set(section, (known ?? new Set()).add(message));
    }
  }
  return named;
}

let named: ReturnType<typeof namedAtStart> | undefined;

/** What of a file of the English catalogue is needed at the start, or what only later. */
export function wordsNeeded(sections: Sections, atStart: boolean): Sections {
  named ??= namedAtStart();
  const needed: Sections = {};
  for (const [section, messages] of Object.entries(sections)) {
    const first = named.get(section);
    const kept = Object.entries(messages).filter(
      ([key]) => (first === null || (first?.has(key) ?? false)) === atStart,
    );
    if (kept.length > 0) needed[section] = Object.fromEntries(kept);
  }
  return needed;
}
