import { screen } from "@testing-library/svelte";
import { describe, expect, it } from "vitest";
import { MemoryHost } from "../src/host/memory";
import { SettingsState, THEMES } from "../src/state/settings.svelte";
import { asMarked } from "../src/views/parts/as-states";
import { mountApp, sampleHost } from "./mount";
import { click, fill, press } from "./person";

describe("the page of all parts", () => {
  async function open(host: MemoryHost): Promise<void> {
    await mountApp(host);
    await press("{Control>}k{/Control}");
    const input = await screen.findByRole("combobox", { name: "Search commands and loops" });
    await fill(input, "all parts");
    await press("{Enter}", input);
    await screen.findByTestId("parts-page");
  }

  it("shows every theme, and takes none of them for a choice", async () => {
    const host = sampleHost();
    host.settings = { theme: "dark" };
    await open(host);
    for (const theme of THEMES.filter((one) => one !== "system")) {
      await click(screen.getByTestId(`parts-theme-${theme}`));
      expect(document.documentElement.dataset.theme).toBe(theme);
    }
    await press("{Escape}");
    await screen.findByRole("grid", { name: "Loops by status" });
    expect(document.documentElement.dataset.theme).toBe("dark");
    expect(host.settings.theme).toBe("dark");
  });

  it("shows a long table from its beginning, and all of it when asked", async () => {
    await open(sampleHost());
    const table = screen.getByRole("table", { name: "A table with 1,000 lines" });
    expect(table.querySelectorAll("tbody tr")).toHaveLength(200);
    await click(screen.getByRole("button", { name: "Show all" }));
    expect(table.querySelectorAll("tbody tr")).toHaveLength(1000);
  });

  it("draws a state as the page draws it", () => {
    expect(asMarked(".button:hover")).toBe('.button:is([data-as="hover"] *)');
    expect(asMarked(".a:focus-visible, .b:active")).toMatch(/^\.a:is\(\[data-as="focus"\] .*\), \.b:is\(/);
    expect(asMarked(".a:has(:checked)")).toBe(".a:has(:checked)");
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
