import { readFileSync } from "node:fs";
import { join } from "node:path";
import { screen, waitFor, within } from "@testing-library/svelte";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { MemoryHost } from "../src/host/memory";
import { t } from "../src/words/language.svelte";
import { licenceGroups, type ThirdParty } from "../src/views/about/third-party";
import { violations } from "./axe";
import { UI } from "./lists";
import { mountApp, sampleHost } from "./mount";
import { click, fill, press } from "./person";

const LIST = readFileSync(join(UI, "public/third-party.json"), "utf8");
const CHANGES = readFileSync(join(UI, "../CHANGELOG.md"), "utf8");

const part = (name: string, licence: string): ThirdParty => ({
  name,
  version: "1.0.0",
  licence,
  home: "",
  texts: [],
});

let fetched = vi.fn();
let host: MemoryHost;
beforeEach(() => {
  host = sampleHost();
  fetched = vi.fn(async () => new Response(LIST));
  vi.stubGlobal("fetch", fetched);
});
afterEach(() => vi.unstubAllGlobals());

async function openAbout(): Promise<HTMLElement> {
  await mountApp(host);
  await press("{Control>},{/Control}");
  await click(await screen.findByTestId("settings-about"));
  return screen.findByTestId("about-page");
}

async function openLicences(): Promise<HTMLElement> {
  const page = await openAbout();
  await click(within(page).getByTestId("about-licences"));
  return page;
}

const names = () => screen.getAllByTestId("third-party").map((one) => one.firstChild?.textContent?.trim());

describe("the page about Loopdeck", () => {
  it("opens from the palette", async () => {
    await mountApp(host);
    await press("{Control>}k{/Control}");
    await fill(await screen.findByTestId("palette-input"), "about loopdeck");
    await press("{Enter}");
    await screen.findByTestId("about-page");
  });

  it("opens from the settings, which close, with the version and what changed", async () => {
    const page = await openAbout();
    expect(screen.queryByTestId("settings-dialog")).toBeNull();
    expect(screen.getByTestId("about-version").textContent.trim()).toBe("Loopdeck 0.1.0");
    await waitFor(() => expect(document.activeElement?.textContent).toBe("About Loopdeck"));
    const newest = /^## (.+)$/m.exec(CHANGES)?.[1];
    const changes = within(page).getByTestId("changes");
    await waitFor(() => expect(within(changes).getByText(newest!)).toBeTruthy());
    expect(fetched, "licences are read when they are asked for").not.toHaveBeenCalled();
  });

  it("shows the text of a licence, and where the source is", async () => {
    await openLicences();
    await fill(await screen.findByTestId("search-licences"), "tauri apache");
    await waitFor(() => expect(names()).toContain("tauri"));
    const tauri = screen.getAllByTestId("third-party")[names().indexOf("tauri")]!;
    await click(tauri);
    expect(tauri.getAttribute("aria-expanded")).toBe("true");
    const shown = within(tauri.closest("li")!);
    expect(shown.getByText(/Apache License/)).toBeTruthy();
    await click(shown.getByTestId("home"));
    expect((await screen.findByTestId("address")).textContent).toContain("github.com");
    await click(tauri);
    expect(shown.queryByText(/Apache License/)).toBeNull();
  });

  it("says what was found, and that nothing was", async () => {
    await openLicences();
    const all = LIST.match(/^\{"name"/gm)!.length;
    await screen.findByText(`Packages: ${all}`);
    await fill(screen.getByTestId("search-licences"), "nothing is called so");
    await screen.findByText("Nothing matches.");
  });

  it("can be tried again when the list cannot be read", async () => {
    fetched.mockImplementationOnce(async () => new Response("", { status: 404 }));
    await openLicences();
    await click(await screen.findByRole("button", { name: t.common.tryAgain }));
    await waitFor(() => expect(names().length).toBeGreaterThan(100));
  });

  it("has no violations", async () => {
    fetched.mockImplementation(async () => {
      const { packages, texts } = JSON.parse(LIST) as { packages: unknown[]; texts: unknown[] };
      return new Response(JSON.stringify({ packages: packages.slice(0, 5), texts }));
    });
    const page = await openLicences();
    await click((await screen.findAllByTestId("third-party"))[0]!);
    expect(await violations(page)).toEqual([]);
  });
});

describe("updates", () => {
  const told = () => screen.getByTestId("update-told").textContent;

  it("cannot be looked for where this build knows nobody to ask", async () => {
    await openAbout();
    expect(screen.queryByTestId("check-for-update")).toBeNull();
    expect(host.asked).not.toContain("check for update");
  });

  it("are looked for and installed when the person asks", async () => {
    host.update = { newest: "0.2.0" };
    await openAbout();
    expect(host.asked, "nothing happens by itself").not.toContain("check for update");
    await click(screen.getByTestId("check-for-update"));
    await waitFor(() => expect(told()).toBe("Version 0.2.0 is available."));
    expect(host.asked).not.toContain("install update");
    host.failNext = { kind: "not_updated", args: { reason: "no signature" }, refusal: null };
    await click(screen.getByTestId("install-update"));
    await screen.findByText("Loopdeck wasn’t updated: no signature. This version stays.");
    await click(screen.getByTestId("install-update"));
    await waitFor(() => expect(told()).toBe("Version 0.2.0 is installed. It runs from the next start."));
    expect(screen.queryByTestId("install-update")).toBeNull();
  });

  it("are told not to be there", async () => {
    host.update = { newest: null };
    await openAbout();
    await click(screen.getByTestId("check-for-update"));
    await waitFor(() => expect(told()).toBe("This is the newest version."));
  });
});

describe("licence groups", () => {
  const packages = [part("b", "MIT"), part("a", "Apache-2.0 OR MIT"), part("c", "MIT"), part("d", "ISC")];
  const told = (text: string) =>
    licenceGroups(packages, text).map(({ licence, packages: members }) => [
      licence,
      members.map((one) => one.name).join(""),
    ]);

  it("are sorted by how many packages they have", () => {
    expect(told("")).toEqual([
      ["MIT", "bc"],
      ["Apache-2.0 OR MIT", "a"],
      ["ISC", "d"],
    ]);
  });

  it("have what has every word", () => {
    expect(told("mit a")).toEqual([["Apache-2.0 OR MIT", "a"]]);
    expect(told("d 1.0 isc")).toEqual([["ISC", "d"]]);
  });
});
