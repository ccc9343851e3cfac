import { en } from "./en";
import { ja } from "./ja";
import { zhCN } from "./zh-CN";
import { fillSlots, pickForm, type LooseSlots, type Message, type Slots } from "./message";

export type LanguageId = "en" | "zh-CN" | "ja";
export type Words = typeof en;

export const LANGUAGES: readonly LanguageId[] = ["en", "zh-CN", "ja"];
/** Their own names, which are the same in every language. */
export const LANGUAGE_NAMES: Readonly<Record<LanguageId, string>> = {
  en: "English",
  "zh-CN": "简体中文",
  ja: "日本語",
};
// The translations have the same keys; only the literal types of the source language differ.
export const CATALOGUES = { en, "zh-CN": zhCN, ja } as unknown as Readonly<Record<LanguageId, Words>>;

/** The language of the window; everything that formats words reads it, so a switch repaints all of them. */
class Language {
  id = $state<LanguageId>("en");
  readonly words = $derived(CATALOGUES[this.id]);
  readonly plural = $derived(new Intl.PluralRules(this.id));
  readonly integer = $derived(new Intl.NumberFormat(this.id, { maximumFractionDigits: 2 }));
  readonly collator = $derived(new Intl.Collator(this.id, { numeric: true, sensitivity: "base" }));
}

export const language = new Language();

/** The catalogue of the present language: `t.list.title`. */
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

/** What stands between two sentences that are marked up apart. */
export function betweenSentences(): string {
  return say(t.units.twoSentences, { first: "", second: "" });
}

/** The language a person's system asks for. */
export function systemLanguage(tags: readonly string[] = navigator.languages): LanguageId {
  for (const tag of tags) {
    const base = tag.toLowerCase().split("-")[0];
    if (base === "zh") return "zh-CN";
    if (base === "ja") return "ja";
    if (base === "en") return "en";
  }
  return "en";
}
