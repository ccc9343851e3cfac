import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { LANGUAGES } from "../src/words/language.svelte";
import { CATALOGUES, catalogueFiles, messages, slotsOf, textsOf } from "./catalogues";
import { UI } from "./lists";

const source = messages(catalogueFiles("en"));

/** What translators have to do, one line for each key. */
function differences(own: ReadonlyMap<string, unknown>, id: string): string[] {
  const missing = [...source.keys()].filter((key) => !own.has(key));
  const extra = [...own.keys()].filter((key) => !source.has(key));
  return [
    ...missing.map((key) => `${id}: ${key} is missing; en has it`),
    ...extra.map((key) => `${id}: ${key} is not in en; remove it`),
  ];
}

describe.each(LANGUAGES)("the files of %s", (id) => {
  const own = messages(catalogueFiles(id));

  it("have the messages of the English files, in files of the same name", () => {
    expect(own.size).toBeGreaterThan(2000);
    expect(differences(own, id)).toEqual([]);
  });

  it("have the forms that the language counts with, where English has forms", () => {
    const cardinal = new Intl.PluralRules(id).resolvedOptions().pluralCategories;
    const ordinal = new Intl.PluralRules(id, { type: "ordinal" }).resolvedOptions().pluralCategories;
    const allowed = [cardinal, ordinal].map((forms) => [...forms].sort().join());
    const wrong = [...own].flatMap(([key, message]) => {
      const original = source.get(key);
      if (typeof original === "string" || typeof message === "string") {
        return typeof original === typeof message
          ? []
          : [`${id}: ${key} needs forms exactly where en has them`];
      }
      const forms = Object.keys(message).sort().join();
      return allowed.includes(forms) ? [] : [`${id}: ${key} has ${forms}; needs ${allowed.join(" or ")}`];
    });
    expect(wrong).toEqual([]);
  });

  it("name only slots that the English sentence names", () => {
    const wrong = [...own].flatMap(([key, message]) => {
      const slots = textsOf(source.get(key) ?? "").flatMap(slotsOf);
      return textsOf(message)
        .flatMap(slotsOf)
        .filter((slot) => !slots.includes(slot))
        .map((slot) => `${id}: ${key} names {${slot}}, which en does not`);
    });
    expect(wrong).toEqual([]);
  });

  it("have each section in one file only", () => {
    const sections = Object.values(catalogueFiles(id)).flatMap((file) => Object.keys(file));
    expect(sections.filter((name, at) => sections.indexOf(name) !== at)).toEqual([]);
  });

  it("have notes for translators in English only, and none in the window", () => {
    expect(JSON.stringify(catalogueFiles("en"))).toContain('"_note');
    if (id !== "en") expect(JSON.stringify(catalogueFiles(id))).not.toContain('"_note');
    expect(JSON.stringify(CATALOGUES[id])).not.toContain('"_note');
  });
});

describe("a count before a plural in English", () => {
  it("is in a message with forms", () => {
    const counted = /\{count\} \p{Ll}{2,}s\b/u;
    const wrong = [...source].filter(([, message]) => typeof message === "string" && counted.test(message));
    expect(wrong).toEqual([]);
  });
});

describe("the types of the messages", () => {
  it("fit the English files", () => {
    // Ends with a sentence that says what to run.
    execFileSync("node", ["scripts/words.mjs", "--check"], {
      cwd: UI,
      stdio: ["ignore", "ignore", "inherit"],
    });
  });
});

describe("a missing or extra key", () => {
  it("is named", () => {
    const own = new Map(source).set("list.json.list.extra", "x");
    own.delete("list.json.app.main");
    expect(differences(own, "ja")).toEqual([
      "ja: list.json.app.main is missing; en has it",
      "ja: list.json.list.extra is not in en; remove it",
    ]);
  });
});
