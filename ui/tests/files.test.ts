import { screen, waitFor } from "@testing-library/svelte";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { STATE_FILE } from "../src/state/place";
import { fileItem, fileSpot } from "../src/views/loop/files/spot";
import { keyOf, mountApp, sampleHost } from "./mount";
import { click, clipboard, press } from "./person";

async function openFiles() {
  const host = sampleHost();
  host.open = keyOf(host, "Implement user");
  await mountApp(host);
  await click(await screen.findByTestId("tab-files"));
  await screen.findByTestId("state-file");
  return host;
}

const pressed = () =>
  document.querySelector<HTMLElement>('[data-testid="panel-files"] [aria-pressed="true"]')?.dataset.testid;

describe("the files of a loop", () => {
  it("are one list that begins with the state file, and shows what was written last", async () => {
    await openFiles();
    const list = screen.getByRole("list", { name: "Files" });
    const names = [...list.querySelectorAll("code")].map((one) => one.textContent);
    expect(names[0]).toMatch(/\.json$/);
    expect(names).toContain("debug.log");
    expect(pressed()).toMatch(/^doc-.*\.md$/);
  });

  it("are walked with the arrows, each with its versions", async () => {
    await openFiles();
    await click(screen.getByTestId("state-file"));
    await waitFor(() => expect(screen.getAllByTestId("version").length).toBeGreaterThan(3));
    screen.getByTestId("state-file").focus();
    await press("{ArrowDown}");
    expect(pressed()).not.toBe("state-file");
    expect(document.activeElement?.getAttribute("data-testid")).toBe(pressed());
    await press("{ArrowUp}");
    expect(pressed()).toBe("state-file");
    await screen.findByTestId("source");
  });

  it("are linked to, with the version that is shown", async () => {
    const host = await openFiles();
    const written = clipboard();
    await click(screen.getByTestId("state-file"));
    await click(await screen.findByTestId("copy-link"));
    await waitFor(() => expect(written[0]).toMatch(/tab=files&item=state%3A$/));
    const [, , , version] = await host.history(host.open!, 100);
    host.push({ kind: "linked", key: host.open!, tab: "files", item: fileItem(STATE_FILE, version!.id) });
    await screen.findByTestId("as-it-was");
  });

  it("say of a version that is no longer kept that it is not, with the way back", async () => {
    const host = await openFiles();
    host.push({ kind: "linked", key: host.open!, tab: "files", item: fileItem(STATE_FILE, 999_999) });
    await click(await screen.findByRole("button", { name: "Back to now" }));
    await screen.findByTestId("source");
  });

  it("show a version that is older than those that were read first", async () => {
    const host = await openFiles();
    const history = host.history.bind(host);
    const [one] = await history(host.open!, 1);
    host.history = async (_, limit) =>
      Array.from({ length: Math.min(limit, 130) }, (_, at) => ({ ...one!, id: 130 - at, current: at === 0 }));
    host.push({ kind: "linked", key: host.open!, tab: "files", item: fileItem(STATE_FILE, 5) });
    await screen.findByTestId("as-it-was");
    expect(screen.getAllByTestId("version")).toHaveLength(130);
  });
});

describe("what a place names among the files", () => {
  it("is found again, whatever the files are called", () => {
    const names = fc.array(fc.string({ minLength: 1 }), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(names, fc.nat(), fc.option(fc.nat()), (all, at, version) => {
        const name = all[at % all.length]!;
        const item = fileItem(name, version);
        // A name that looks like a version of another one is the name.
        if (version !== null && all.includes(item)) return;
        expect(fileSpot(item, all)).toEqual({ name, version });
      }),
    );
    expect(fileSpot("gone.md", ["a.md"])).toBeNull();
  });
});
