import { readdirSync } from "node:fs";
import { join } from "node:path";
import { screen, waitFor, within } from "@testing-library/svelte";
import { describe, expect, it, vi } from "vitest";
import { MemoryHost } from "../src/host/memory";
import { Navigation } from "../src/state/navigation.svelte";
import { samePart } from "../src/state/place";
import { lookInGuide } from "../src/views/guide/look";
import { isOutside, linksOf, readGuide } from "../src/views/guide/guide";
import { LANGUAGE_NAMES, LANGUAGES, type LanguageId } from "../src/words/language.svelte";
import { violations } from "./axe";
import { UI } from "./lists";
import { mountApp, sampleHost } from "./mount";
import { choose, click, fill, press } from "./person";

const FOLDER = join(UI, "../docs/guide");
/** The pages as the files are: nobody keeps a second list. */
const files = (lang: string) => readdirSync(join(FOLDER, lang)).map((name) => name.replace(/\.md$/, ""));
const ALL = LANGUAGES.flatMap((lang) => files(lang).map((name) => [lang, name] as const));

const text = () => screen.findByTestId("guide-text");
const shown = async (title: string) => screen.findByRole("region", { name: title });
const titleOf = (region: HTMLElement) => within(region).getByRole("heading", { level: 2 });

async function openGuide(host = sampleHost()): Promise<HTMLElement> {
  await mountApp(host);
  await press("gh");
  await text();
  return screen.getByTestId("guide-page");
}

async function speak(lang: LanguageId): Promise<void> {
  await press("{Control>},{/Control}");
  await choose(await screen.findByTestId("set-language"), LANGUAGE_NAMES[lang]);
  await waitFor(() => expect(screen.getByTestId("guide-text").lang).toBe(lang));
  await click(screen.getByTestId("settings-dialog").querySelector(".foot button")!);
  expect(screen.queryByTestId("settings-dialog")).toBeNull();
}

/** Back or forward along the way the person came. */
const retrace = (arrow: "Left" | "Right") => press(`{Alt>}{Arrow${arrow}}{/Alt}`);

describe("the guide opens", () => {
  it("with its keys, at the index, and takes the focus there", async () => {
    const page = await openGuide();
    expect(page.getAttribute("aria-label")).toBe("Guide");
    const region = await shown("Loopdeck user guide");
    await waitFor(() => expect(document.activeElement).toBe(titleOf(region)));
  });

  it("from the palette", async () => {
    await mountApp(sampleHost());
    await press("{Control>}k{/Control}");
    await fill(await screen.findByTestId("palette-input"), "open the guide");
    await press("{Enter}");
    await shown("Loopdeck user guide");
  });

  it.each([
    ["the settings", "{Control>},{/Control}", "settings-dialog"],
    ["the help for keys", "?", "keys-dialog"],
  ])("from %s, which close", async (_, keys, dialog) => {
    await mountApp(sampleHost());
    await press(keys);
    await click(await screen.findByRole("button", { name: "Open the guide" }));
    await shown("Loopdeck user guide");
    expect(screen.queryByTestId(dialog)).toBeNull();
  });

  it("from the first screen, at the page for the first loop", async () => {
    await mountApp(new MemoryHost());
    await click(await screen.findByRole("button", { name: "Open the guide" }));
    await shown("Your first loop");
  });
});

describe("going through the guide", () => {
  it("follows links, the list and the way back", async () => {
    const page = await openGuide();
    await click(within(await text()).getByRole("button", { name: "Follow a loop" }));
    const region = await shown("Follow a loop");
    await waitFor(() => expect(document.activeElement).toBe(titleOf(region)));
    const list = within(page).getByRole("navigation", { name: "Pages" });
    const entry = within(list).getByRole("button", { name: "Problems" });
    await click(entry);
    await shown("Problems");
    expect(entry.getAttribute("aria-current")).toBe("page");
    expect(
      within(list).getByRole("button", { name: "Follow a loop" }).getAttribute("aria-current"),
    ).toBeNull();
    await retrace("Left");
    await shown("Follow a loop");
    await retrace("Left");
    await shown("Loopdeck user guide");
    await retrace("Right");
    await shown("Follow a loop");
    await click(screen.getByRole("button", { name: "Back" }));
    await shown("Loopdeck user guide");
    await click(screen.getByRole("button", { name: "Back" }));
    await screen.findByRole("grid", { name: "Loops by status" });
  });

  it("lists the pages as the index groups them", async () => {
    const page = await openGuide();
    const group = within(page).getByRole("list", { name: "For everybody" });
    expect(
      within(group)
        .getAllByRole("button")
        .map(({ textContent }) => textContent),
    ).toEqual(["Your first loop", "Follow a loop", "Privacy and safety", "Problems"]);
  });

  it("shows where an address outside leads, and opens it only then", async () => {
    const host = sampleHost();
    const page = await openGuide(host);
    await click(within(page).getByRole("button", { name: "Loops of a team" }));
    await click(within(await shown("Loops of a team")).getByRole("button", { name: "NATS JetStream" }));
    const bar = await screen.findByTestId("address");
    expect(bar.textContent).toContain("docs.nats.io");
    expect(host.asked.filter((one) => one.includes("docs.nats.io"))).toEqual([]);
    await click(within(bar).getByTestId("open-address"));
    await waitFor(() => expect(host.asked.some((one) => one.includes("docs.nats.io"))).toBe(true));
  });

  it("follows the language of the window", async () => {
    await openGuide();
    await speak("ja");
    const region = await shown("Loopdeck ユーザーガイド");
    expect(region.lang).toBe("ja");
  });

  it("takes another page for another step of the way", () => {
    const at = (page: string) => ({ kind: "guide", page }) as const;
    expect(samePart(at("a"), at("a"))).toBe(true);
    expect(samePart(at("a"), at("b"))).toBe(false);
  });
});

describe("searching the guide", () => {
  it("finds a word, marks it, and opens its page", async () => {
    const page = await openGuide();
    const field = screen.getByTestId("search-guide");
    await fill(field, "trash");
    const found = await within(page).findAllByTestId("guide-found");
    expect(within(page).getByRole("status").textContent).toContain(`Results: ${found.length}`);
    expect(found.length).toBeLessThan(files("en").length);
    const [first] = found;
    expect(first!.querySelector("mark")?.textContent?.toLowerCase()).toBe("trash");
    const title = first!.querySelector(".title")!.textContent!;
    await press("{Enter}", field);
    const region = await shown(title);
    expect(region.textContent?.toLowerCase()).toContain("trash");
    await waitFor(() => expect(document.activeElement).toBe(titleOf(region)));
  });

  it("wants every word, and says when no page has them", async () => {
    const page = await openGuide();
    await fill(screen.getByTestId("search-guide"), "trash xylophone");
    await waitFor(() => expect(within(page).getByRole("status").textContent).toBe("Nothing matches."));
    expect(within(page).queryByTestId("guide-found")).toBeNull();
    await press("{Escape}", screen.getByTestId("search-guide"));
    expect(within(page).getAllByTestId("guide-entry").length).toBeGreaterThan(8);
  });

  it("puts pages first that have the word in their title, and shows a line that has it", async () => {
    const guide = await readGuide("en");
    const [first] = lookInGuide(guide, "SAFETY privacy");
    expect(first?.page.name).toBe("privacy-and-safety");
    const found = lookInGuide(guide, "worktree");
    expect(found.length).toBeGreaterThan(0);
    for (const { line } of found) {
      expect(line.some(({ hit }) => hit)).toBe(true);
      expect(line.map((piece) => piece.text).join("").length).toBeLessThan(200);
    }
    expect(lookInGuide(guide, "  ")).toEqual([]);
  });
});

describe.each(LANGUAGES)("the guide in %s", (lang) => {
  it("has every file, and each is in one group of the index", async () => {
    const { pages, groups } = await readGuide(lang);
    expect([...pages.keys()].filter((name) => name !== "team").sort()).toEqual(files(lang).sort());
    const listed = groups.flatMap((group) => group.pages.map(({ name }) => name));
    expect(listed.sort()).toEqual([...pages.keys()].filter((name) => name !== "index").sort());
  });

  it("leads only to pages that exist and to the web", async () => {
    const { pages } = await readGuide(lang);
    const links = [...pages.values()].flatMap((page) => linksOf(page.blocks));
    expect(links.length).toBeGreaterThan(8);
    expect(links.filter((one) => !pages.has(one) && !isOutside(one))).toEqual([]);
  });
});

describe.each(ALL)("the page %s/%s", (lang, name) => {
  it("is drawn without left-over Markdown, and its links lead on", async () => {
    await openGuide();
    await speak(lang);
    const { pages } = await readGuide(lang);
    const { title } = pages.get(name)!;
    expect(title).not.toBe(name);
    const page = screen.getByTestId("guide-page");
    await click(
      within(page)
        .getAllByTestId("guide-entry")
        .find((one) => one.textContent === title)!,
    );
    const region = await shown(title);
    expect(region.dataset.page).toBe(name);
    // Pictures do not come with the window.
    expect(within(region).queryAllByTestId("image")).toEqual([]);
    const read = region.cloneNode(true) as HTMLElement;
    for (const code of read.querySelectorAll("pre, code")) code.remove();
    expect(read.textContent).not.toMatch(/\]\(|!\[|\*\*|^#+ |\.md\b/m);
    expect(read.textContent!.length).toBeGreaterThan(100);
    for (let at = 0; at < within(region).queryAllByTestId("link").length; at += 1) {
      const link = within(region).getAllByTestId("link")[at]!;
      await click(link);
      await waitFor(() => expect(region.dataset.page).not.toBe(name));
      await retrace("Left");
      await waitFor(() => expect(region.dataset.page).toBe(name));
    }
  });
});

describe("the page of the guide", () => {
  it("shows the index where a page is not known", async () => {
    const show = Navigation.prototype.showGuide;
    const asked = vi.spyOn(Navigation.prototype, "showGuide").mockImplementationOnce(function (
      this: Navigation,
    ) {
      show.call(this, "no-such-page");
    });
    await openGuide();
    expect(asked).toHaveBeenCalledTimes(1);
    asked.mockRestore();
    await shown("Loopdeck user guide");
  });

  it("has nothing that axe finds", async () => {
    const page = await openGuide();
    expect(await violations(page)).toEqual([]);
    await click(
      within(screen.getByRole("navigation", { name: "Pages" })).getByRole("button", { name: "Command line" }),
    );
    await shown("Command line");
    expect(await violations(page)).toEqual([]);
    await fill(screen.getByTestId("search-guide"), "loop");
    await within(page).findAllByTestId("guide-found");
    expect(await violations(page)).toEqual([]);
  });
});
