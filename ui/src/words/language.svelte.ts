import type { Words } from "./catalogue";
import { en, readLaterWords } from "./en";
import { localeNamed, localeOf, scriptOf } from "./locale";
import { fillSlots, pickForm, type LooseSlots, type Message, type Slots } from "./message";

export type { Words } from "./catalogue";
export type LanguageId = "en" | "zh-CN" | "ja";

export const LANGUAGES: readonly LanguageId[] = ["en", "zh-CN", "ja"];
/** Their own names, which are the same in every language. */
export const LANGUAGE_NAMES: Readonly<Record<LanguageId, string>> = {
  en: "English",
  "zh-CN": "简体中文",
  ja: "日本語",
};

/** English is the source and the fallback; a translation is read when its language is shown for the first time. */
const CATALOGUES: Readonly<Record<LanguageId, () => Promise<Words>>> = {
  en: async () => {
    await readLaterWords();
    return en;
  },
  "zh-CN": async () => (await import("./zh-CN")).zhCN,
  ja: async () => (await import("./ja")).ja,
};
const catalogues = new Map<LanguageId, Words>();

/** Reads the whole catalogue of a language, unless it was read before. */
export async function readCatalogue(id: LanguageId): Promise<Words> {
  const known = catalogues.get(id);
  if (known) return known;
  const words = await CATALOGUES[id]();
  catalogues.set(id, words);
  return words;
}

/** The language of the window; everything that formats words reads it, so a switch repaints all of them. */
class Language {
  id = $state<LanguageId>("en");
  readonly words = $derived(catalogues.get(this.id) ?? en);
  /** How dates and numbers are written: in the language of the window, as the system's region does. */
  readonly locale = $derived(localeOf(this.id, navigator.languages));
  readonly plural = $derived(new Intl.PluralRules(this.id));
  readonly integer = $derived(new Intl.NumberFormat(this.locale, { maximumFractionDigits: 2 }));
  readonly collator = $derived(new Intl.Collator(this.id, { numeric: true, sensitivity: "base" }));
  #wanted: LanguageId = "en";

  /** Shows a language as soon as its words are there, unless another was asked for meanwhile. */
  async show(id: LanguageId): Promise<void> {
    this.#wanted = id;
    // The start does with the first words of English.
    if (id !== this.id && !catalogues.has(id)) await readCatalogue(id);
    if (this.#wanted === id) this.id = id;
  }

  /** Reads what is missing of the language that is shown. */
  async readAll(): Promise<void> {
    await readCatalogue(this.id);
  }
}

export const language = new Language();

/** The catalogue of the present language: `t.fact.loops`. */
export const t: Words = new Proxy(en, {
  get: (_, section) => language.words[section as keyof Words],
});

/** A sentence of the catalogue with its slots filled; slots are checked against the source language. */
export function say<M extends Message>(message: M, slots: Slots<M>): string {
  return fill(message, slots as LooseSlots);
}

/** As `say`, for messages that are chosen by a word from the host; an unknown slot shows as an ellipsis. */
export function fill(message: Message, slots: LooseSlots = {}): string {
  const text = pickForm(message, slots.count, language.plural);
  return fillSlots(text, slots, (value) => language.integer.format(value));
}

/** Sentences one after the other, as the language puts them: with a space between them, or none. */
export function sentences(...all: readonly (string | false | undefined)[]): string {
  return all
    .filter((one): one is string => Boolean(one))
    .reduce((first, second) => (first === "" ? second : say(t.units.twoSentences, { first, second })), "");
}

/** The separator between two sentences that are marked up separately. */
export function betweenSentences(): string {
  return say(t.units.twoSentences, { first: "", second: "" });
}

const SIMPLIFIED = scriptOf(new Intl.Locale("zh-CN"));

/** The language a person's system asks for. Chinese in traditional characters is none of ours: it gets English. */
function systemLanguage(tags: readonly string[]): LanguageId {
  for (const tag of tags) {
    const locale = localeNamed(tag);
    if (locale?.language === "zh") return scriptOf(locale) === SIMPLIFIED ? "zh-CN" : "en";
    if (locale?.language === "ja" || locale?.language === "en") return locale.language;
  }
  return "en";
}

/** The language that a setting means; a word that names none means the system's. */
export function chosenLanguage(
  choice: string | undefined,
  system: readonly string[] = navigator.languages,
): LanguageId {
  return LANGUAGES.find((id) => id === choice) ?? systemLanguage(system);
}
