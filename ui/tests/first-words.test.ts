import { screen, waitFor } from "@testing-library/svelte";
import { afterEach, describe, expect, it, vi } from "vitest";
import { wordsNeeded, type Sections } from "../scripts/first-words";
import { catalogueFiles } from "./catalogues";
import { sampleHost } from "./mount";
import { click, press } from "./person";

afterEach(() => {
  vi.restoreAllMocks();
  vi.resetModules();
});

/** A window that has loaded nothing behind the list. */
async function atStart() {
  vi.resetModules();
  const { LATER } = await import("../src/views/parts-later");
  for (const part of Object.values(LATER)) vi.spyOn(part, "once").mockResolvedValue();
  const { mount } = await import("svelte");
  const { default: App } = await import("../src/App.svelte");
  const { t, language } = await import("../src/words/language.svelte");
  return { mount, App, t, language, LATER };
}

describe("the first words of the window", () => {
  it("and the later ones are the whole catalogue, each once", () => {
    for (const [file, sections] of Object.entries(catalogueFiles("en") as Record<string, Sections>)) {
      const halves = [wordsNeeded(sections, true), wordsNeeded(sections, false)];
      for (const [name, messages] of Object.entries(sections)) {
        const keys = halves.flatMap((half) => Object.keys(half[name] ?? {}));
        expect(keys.sort(), `${file}: ${name}`).toEqual(Object.keys(messages).sort());
      }
    }
  });

  it("are all that the list and its menus need", async () => {
    const { mount, App, t } = await atStart();
    const host = sampleHost();
    mount(App, { target: document.body, props: { host } });
    await waitFor(() => expect(host.asked).toContain("painted"));
    const menus = screen.getAllByRole("button", { name: /^Actions for/ });
    expect(menus.length).toBeGreaterThan(10);
    for (const button of menus) {
      await click(button);
      await screen.findByRole("menu", { name: button.getAttribute("aria-label")! });
      await press("{Escape}");
    }
    expect(t.graph, "nothing else was read").toBeUndefined();
    expect(document.body.textContent).not.toContain("undefined");
  });

  it("are completed before a part is shown, also after another language", async () => {
    const { t, language, LATER } = await atStart();
    vi.restoreAllMocks();
    await language.show("ja");
    await LATER.about.once();
    expect(t.about.title).not.toBe("About");
    await language.show("en");
    expect(t.graph, "read with the language").toBeDefined();
    expect(t.fact.loops).toBe("Loops");
  });
});
