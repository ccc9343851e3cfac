import { afterEach, describe, expect, it, vi } from "vitest";
import { MemoryHost } from "../src/host/memory";
import { SettingsState } from "../src/state/settings.svelte";
import { chosenLanguage, language } from "../src/words/language.svelte";

afterEach(() => vi.resetModules());

describe("a language", () => {
  it("is shown when its words are there, and of two wishes the last", async () => {
    vi.resetModules();
    const fresh = await import("../src/words/language.svelte");
    const wishes = [fresh.language.show("ja"), fresh.language.show("zh-CN")];
    expect(fresh.language.id).toBe("en");
    await Promise.all(wishes);
    expect(fresh.language.id).toBe("zh-CN");
    expect(fresh.t.fact.loops).toBe("循环");
  });

  it("is shown at once when its words were read before", () => {
    void language.show("ja");
    expect(language.id).toBe("ja");
  });

  it("is the system's where the setting names none", () => {
    expect(chosenLanguage("ja")).toBe("ja");
    expect(chosenLanguage("system")).toBe("en");
    expect(chosenLanguage("tlh")).toBe("en");
    expect(chosenLanguage(undefined)).toBe("en");
  });

  it.each([
    [["zh-CN"], "zh-CN"],
    [["zh-SG", "en"], "zh-CN"],
    [["zh-TW", "zh", "en-US"], "en"],
    [["zh-Hant-HK"], "en"],
    [["zh-HK", "ja"], "en"],
    [["C", "fr", "ja-JP", "en"], "ja"],
    [["fr"], "en"],
  ])("of a system of %j is %s", (system, id) => {
    expect(chosenLanguage("system", system)).toBe(id);
    expect(chosenLanguage("zh-CN", system)).toBe("zh-CN");
  });

  it("of the window stays as it began until the settings are known", () => {
    const root = document.createElement("div");
    const settings = new SettingsState(new MemoryHost());
    void language.show("ja");
    settings.apply(root);
    expect([language.id, root.lang]).toEqual(["ja", "ja"]);
    settings.load({ language: "zh-CN" });
    settings.apply(root);
    expect([language.id, root.lang]).toEqual(["zh-CN", "zh-CN"]);
  });
});
