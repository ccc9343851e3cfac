import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { LANGUAGES, readCatalogue, type LanguageId, type Words } from "../src/words/language.svelte";
import type { Plural } from "../src/words/message";
import { UI } from "./lists";

/** Every catalogue as the window has it, read before any test, so that a language is shown at once. */
export const CATALOGUES = Object.fromEntries(
  await Promise.all(LANGUAGES.map(async (id) => [id, await readCatalogue(id)])),
) as Readonly<Record<LanguageId, Words>>;

/** The files of a language as translators see them, with notes: sections by file. */
export function catalogueFiles(id: LanguageId): Record<string, Record<string, unknown>> {
  const folder = join(UI, "src/words", id);
  const names = readdirSync(folder).sort();
  return Object.fromEntries(
    names.map((name) => [name, JSON.parse(readFileSync(join(folder, name), "utf8"))]),
  );
}

const FORMS = ["zero", "one", "two", "few", "many", "other"];

function isPlural(value: object): value is Plural {
  return "other" in value && Object.keys(value).every((key) => FORMS.includes(key));
}

/** Every message of a catalogue by its path, without the notes. */
export function messages(value: object, path = ""): Map<string, string | Plural> {
  const found = new Map<string, string | Plural>();
  for (const [key, inner] of Object.entries(value)) {
    const here = path ? `${path}.${key}` : key;
    if (key.startsWith("_note")) continue;
    if (typeof inner === "string" || isPlural(inner)) found.set(here, inner);
    else for (const [deeper, message] of messages(inner, here)) found.set(deeper, message);
  }
  return found;
}

/** The texts of a message: one, or one for each form. */
export function textsOf(message: string | Plural): string[] {
  return typeof message === "string" ? [message] : Object.values(message);
}

export function slotsOf(text: string): string[] {
  return [...new Set([...text.matchAll(/\{(\w+)\}/g)].map((match) => match[1] as string))].sort();
}
