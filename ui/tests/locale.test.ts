import { afterEach, describe, expect, it } from "vitest";
import { clockTime, integer, moment, relativeTime } from "../src/words/format";
import { language, type LanguageId } from "../src/words/language.svelte";
import { localeOf } from "../src/words/locale";

describe("the locale of dates and numbers", () => {
  it.each([
    ["en", ["en-US", "en"], "en-US"],
    ["en", ["en", "en-AU"], "en-AU"],
    ["ja", ["en-US", "ja-JP"], "ja-JP"],
    ["zh-CN", ["zh-SG"], "zh-SG"],
    // The system speaks another language: its region still counts.
    ["en", ["de-DE", "de"], "en-DE"],
    ["ja", ["en-US"], "ja-US"],
    // It writes the language in another script: its letters don't fit our words.
    ["zh-CN", ["zh-TW"], "zh-Hans-TW"],
    ["en", ["C", "not a tag", "en-CA"], "en-CA"],
    ["en", ["en"], "en"],
    ["zh-CN", [], "zh-CN"],
  ])("of %s on a system of %j is %s", (id, system, locale) => expect(localeOf(id, system)).toBe(locale));
});

describe("dates, times and numbers", () => {
  const system = navigator.languages;
  const shownOn = (tag: string, id: LanguageId = "en") => {
    Object.defineProperty(navigator, "languages", { value: [tag], configurable: true });
    // The system's languages are read when a language is shown.
    language.id = id === "en" ? "ja" : "en";
    language.id = id;
  };
  afterEach(() => Object.defineProperty(navigator, "languages", { value: system, configurable: true }));

  const then = new Date(2026, 10, 20, 14, 5, 9).getTime();
  const later = then + 3 * 86_400_000;

  it.each([
    ["en-US", "Nov 20", "2:05 PM", "Nov 20 2:05:09 PM", "1,234.5"],
    ["en-GB", "20 Nov", "14:05", "20 Nov 14:05:09", "1,234.5"],
    ["de-DE", "20 Nov", "14:05", "20 Nov 14:05:09", "1.234,5"],
  ])("follow the region of %s", (tag, day, time, exact, number) => {
    shownOn(tag);
    // Some versions put a narrow space before PM.
    const plain = (text: string) => text.replace(/\u202f/g, " ");
    expect(relativeTime(then, later)).toBe(day);
    expect(plain(clockTime(then))).toBe(time);
    expect(plain(moment(then, later))).toBe(`${day} ${time}`);
    // Seconds are there where a time beside it would read the same.
    expect(plain(moment(then, later, null, then - 5_000))).toBe(exact);
    expect(plain(moment(then, then, then + 60_000))).toBe(time);
    expect(integer(1234.5)).toBe(number);
  });

  it("are in the language of the window", () => {
    shownOn("en-US", "ja");
    expect(relativeTime(then, later)).toBe("11月20日");
  });
});
