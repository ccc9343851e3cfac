import { render, screen } from "@testing-library/svelte";
import { describe, expect, it } from "vitest";
import { MemoryHost } from "../src/host/memory";
import { SettingsState } from "../src/state/settings.svelte";
import PartsStage from "./PartsStage.svelte";
import { click } from "./person";

describe("a long table", () => {
  it("is shown from its beginning, and all of it when asked", async () => {
    render(PartsStage);
    const table = screen.getByRole("table", { name: "A table with 1,000 lines" });
    expect(table.querySelectorAll("tbody tr")).toHaveLength(200);
    await click(screen.getByRole("button", { name: "Show all" }));
    expect(table.querySelectorAll("tbody tr")).toHaveLength(1000);
  });
});

describe("the theme on screen", () => {
  /** What the system asks for. */
  function system(...matching: string[]): SettingsState {
    window.matchMedia = (media: string) =>
      Object.assign(new EventTarget(), {
        matches: matching.includes(media),
        media,
        onchange: null,
      }) as unknown as MediaQueryList;
    const settings = new SettingsState(new MemoryHost());
    settings.watchSystem();
    return settings;
  }
  const DARK = "(prefers-color-scheme: dark)";
  const MORE = "(prefers-contrast: more)";

  it.each([
    ["system", [], "light"],
    ["system", [DARK], "dark"],
    ["system", [DARK, MORE], "contrast-dark"],
    ["light", [DARK], "light"],
    ["light", [DARK, MORE], "contrast-light"],
    ["dark", [], "dark"],
    ["contrast-dark", [], "contrast-dark"],
    ["contrast-light", [DARK, MORE], "contrast-light"],
    ["sepia", [DARK], "dark"],
  ])("of %s, when the system asks for %j, is %s", (theme, asked, shown) => {
    const settings = system(...asked);
    settings.load({ theme });
    expect(settings.shownTheme).toBe(shown);
  });
});
