import { fireEvent, screen, waitFor, within } from "@testing-library/svelte";
import { describe, expect, it } from "vitest";
import type { LoopRow } from "../src/host/bindings";
import { SAMPLE_WORKSPACES } from "../src/host/memory";
import { metadataForm, patchOf, tagsOf } from "../src/views/dialogs/metadata";
import { keyOf, mountApp, rowOf, sampleHost } from "./mount";
import { choose, click, fill, press, rightClick, send } from "./person";

async function openItem(container: HTMLElement, title: string, item: string): Promise<void> {
  await rightClick(rowOf(container, title));
  await click(await screen.findByTestId("menu-more"));
  await click(screen.getByTestId(`menu-${item}`));
}

describe("edit details", () => {
  it("saves only what was changed", async () => {
    const host = sampleHost();
    const container = await mountApp(host);
    await openItem(container, "Type the pricing", "edit_metadata");
    const title = (await screen.findByRole("textbox", { name: "Title" })) as HTMLInputElement;
    expect(title.value).toBe("Type the pricing rules");
    expect((screen.getByRole("button", { name: "Save" }) as HTMLButtonElement).disabled).toBe(true);
    await fill(title, "");
    expect(
      screen.getByRole("dialog", { name: "Edit details: Type the pricing rules" }).textContent,
    ).toContain("A title has 1 to 100 characters; this one has 0.");
    await fill(title, "Prices");
    await send(title.closest("form")!);
    await waitFor(() => rowOf(container, "Prices"));
    const asked = host.asked.find((one) => one.startsWith("edit"))!;
    expect(JSON.parse(asked.slice(5))).toEqual({
      title: "Prices",
      description: null,
      max_iterations: null,
      tags: null,
      priority: null,
      notes: null,
    });
  });

  it("offers only the fields of the format", async () => {
    const container = await mountApp(sampleHost());
    await openItem(container, "Migrate sessions", "edit_metadata");
    await screen.findByRole("spinbutton", { name: "Iteration limit" });
    expect(screen.queryByTestId("meta-title")).toBeNull();
  });

  it("is greyed with its reason while the loop runs", async () => {
    const container = await mountApp(sampleHost());
    await rightClick(rowOf(container, "Implement user"));
    await click(await screen.findByTestId("menu-more"));
    const item = screen.getByTestId("menu-edit_metadata");
    expect(item.getAttribute("aria-disabled")).toBe("true");
    expect(item.textContent).toContain("Not while the loop is running elsewhere. Stop it first.");
  });

  it("reads tags between any commas, without doubles", () => {
    expect(tagsOf(" a, b，a、 c,")).toEqual(["a", "b", "c"]);
  });

  it("changes nothing when the form is as it was", () => {
    const metadata = {
      title: "T",
      description: null,
      max_iterations: 10,
      tags: ["a"],
      priority: null,
      notes: null,
      editable: ["title", "tags"],
    };
    expect(patchOf(metadata, metadataForm(metadata))).toBeNull();
    expect(patchOf(metadata, { ...metadataForm(metadata), notes: "not editable" })).toBeNull();
  });
});

describe("delete", () => {
  it("lists the files first and moves them only when told", async () => {
    const host = sampleHost();
    const container = await mountApp(host);
    await openItem(container, "Type the pricing", "delete");
    const dialog = await screen.findByRole("dialog", { name: "Delete “Type the pricing rules”?" });
    await waitFor(() => expect(dialog.textContent).toContain(".tasks.jsonl"));
    expect(dialog.textContent).toContain("These move to the system trash (3).");
    const key = keyOf(host, "Type the pricing");
    await click(screen.getByRole("button", { name: "Move to trash" }));
    await waitFor(() => expect(host.asked).toContain(`delete ${key}`));
    await waitFor(() => expect(() => rowOf(container, "Type the pricing")).toThrow());
  });

  it("speaks of no trash where a tool has removed the file", async () => {
    const host = sampleHost();
    host.deletion = () => Promise.resolve({ files: [], restorable: true });
    const key = keyOf(host, "Type the pricing");
    await openItem(await mountApp(host), "Type the pricing", "delete");
    const dialog = await screen.findByRole("dialog");
    await within(dialog).findByText(/Its tool removed the file/);
    expect(dialog.textContent).not.toContain("trash");
    await click(within(dialog).getByRole("button", { name: "Delete" }));
    await waitFor(() => expect(host.asked).toContain(`delete ${key}`));
  });
});

describe("settings", () => {
  it("switch the language of everything without a restart", async () => {
    const host = sampleHost();
    const container = await mountApp(host);
    await click(screen.getByRole("button", { name: "Settings" }));
    await choose(await screen.findByTestId("set-language"), "ja");
    await waitFor(() => expect(rowOf(container, "Rate-limit").textContent).toContain("中断"));
    expect(document.documentElement.lang).toBe("ja");
    expect(host.settings.language).toBe("ja");
    await choose(screen.getByTestId("set-language"), "zh-CN");
    await waitFor(() => expect(rowOf(container, "Rate-limit").textContent).toContain("已中断"));
  });

  it("set theme and density on the page and remember them", async () => {
    const host = sampleHost();
    await mountApp(host);
    await click(screen.getByRole("button", { name: "Settings" }));
    await choose(await screen.findByRole("combobox", { name: "Theme" }), "dark");
    await choose(screen.getByRole("combobox", { name: "Row density" }), "compact");
    await waitFor(() => expect(document.documentElement.dataset.theme).toBe("dark"));
    expect(document.documentElement.dataset.density).toBe("compact");
    expect(host.settings).toMatchObject({ theme: "dark", density: "compact" });
  });

  it("copy what a problem report needs", async () => {
    const copied: string[] = [];
    const clipboard = { writeText: (text: string) => Promise.resolve(void copied.push(text)) };
    Object.defineProperty(navigator, "clipboard", { configurable: true, value: clipboard });
    const host = sampleHost();
    await mountApp(host);
    await click(screen.getByRole("button", { name: "Settings" }));
    await click(await screen.findByRole("button", { name: "Copy diagnostics" }));
    await waitFor(async () => expect(copied).toEqual([await host.diagnostics()]));
  });
});

describe("what is looked for in the settings", () => {
  it.each([
    ["en", "dark", ["General"]],
    ["en", "TRUSTED folders", ["Trusted folders"]],
    ["ja", "テーマ", ["一般"]],
    ["zh-CN", "编辑器", ["编辑器"]],
    ["en", "no such setting", []],
  ])("in %s: %s", async (language, words, sections) => {
    const host = sampleHost();
    host.settings = { language } as typeof host.settings;
    await mountApp(host);
    await press("{Control>},{/Control}");
    const dialog = await screen.findByTestId("settings-dialog");
    await fill(within(dialog).getByTestId("search-settings"), words);
    const shown = () =>
      within(dialog)
        .queryAllByRole("region")
        .map((one) => one.querySelector("h3")?.textContent);
    expect(shown()).toEqual(sections);
    await press("{Escape}", within(dialog).getByTestId("search-settings"));
    expect(shown()).toHaveLength(8);
  });
});

describe("where a dialog starts", () => {
  it("is the first thing to fill in, not the button that closes", async () => {
    const container = await mountApp(sampleHost());
    await click(screen.getByRole("button", { name: "Settings" }));
    await waitFor(() => expect(document.activeElement?.getAttribute("aria-label")).toBe("Search"));
    await press("{Escape}");
    await openItem(container, "Type the pricing", "edit_metadata");
    const title = await screen.findByRole("textbox", { name: "Title" });
    await waitFor(() => expect(document.activeElement).toBe(title));
  });
});

describe("the stop dialog", () => {
  it.each([
    ["Implement user", "Keep running"],
    ["Type the pricing", "Cancel"],
  ])("of %s offers “%s”", async (title, way) => {
    const container = await mountApp(sampleHost());
    await openItem(container, title, "stop");
    const dialog = await screen.findByTestId("verb-dialog");
    expect([...dialog.querySelectorAll("button")].map((one) => one.textContent?.trim())).toContain(way);
  });

  it("says how many processes end", async () => {
    const host = sampleHost();
    const run = {
      agent: "Claude Code",
      level: null,
      alive: true,
      action: "develop",
      last_output: null,
      cost_usd: null,
      tokens: null,
      stop: null,
      needs: 0,
      workers: [],
    };
    const ours = (row: LoopRow) => ({ ...row, run: row.title.startsWith("Implement user") ? run : row.run });
    host.fill(host.rows().map(ours), SAMPLE_WORKSPACES);
    const container = await mountApp(host);
    await openItem(container, "Implement user", "stop");
    await waitFor(() =>
      expect(screen.getByTestId("will-end").textContent).toBe("The agent’s processes will end: 4."),
    );
  });

  it.each([
    ["ana", "Stopped by ana"],
    ["", ""],
  ])("names who stops it where the format keeps a reason: %s", async (person, reason) => {
    const host = sampleHost();
    host.runs.stopFactsOf = () => ({ person, runs: 0, processes: null });
    const container = await mountApp(host);
    await openItem(container, "Checkout: JWT", "stop");
    await waitFor(() => expect((screen.getByLabelText("Reason") as HTMLInputElement).value).toBe(reason));
  });

  it("shows what went wrong with it, and not what went wrong before", async () => {
    const host = sampleHost();
    const container = await mountApp(host);
    const failed = (reason: string) => ({ kind: "own_data" as const, args: { reason }, refusal: null });
    host.failNext = failed("the first disk");
    await openItem(container, "Implement user", "pause");
    await waitFor(() => expect(container.textContent).toContain("the first disk"));
    await openItem(container, "Implement user", "stop");
    const dialog = await screen.findByTestId("verb-dialog");
    expect(dialog.querySelector('[data-testid="failure"]')).toBeNull();
    host.failNext = failed("the second disk");
    await send(dialog.querySelector("form")!);
    await waitFor(() => expect(dialog.textContent).toContain("the second disk"));
    expect(dialog.textContent).not.toContain("the first disk");
  });
});

describe("a dialog", () => {
  it("stays when a text is marked out of its field, and is closed by a click next to it", async () => {
    const container = await mountApp(sampleHost());
    await openItem(container, "Type the pricing", "edit_metadata");
    const title = await screen.findByRole("textbox", { name: "Title" });
    const dialog = screen.getByTestId("metadata-dialog");
    // What a browser makes of it: the click is that of what contains both ends.
    await fireEvent.pointerDown(title);
    await fireEvent.pointerUp(dialog);
    await fireEvent.click(dialog);
    expect(screen.queryByTestId("metadata-dialog")).not.toBeNull();
    await fireEvent.pointerDown(dialog);
    await fireEvent.pointerUp(dialog);
    await fireEvent.click(dialog);
    await waitFor(() => expect(screen.queryByTestId("metadata-dialog")).toBeNull());
  });
});

describe("a menu", () => {
  it("that can’t be had says why, and is tried again", async () => {
    const host = sampleHost();
    const container = await mountApp(host);
    const { controls } = host;
    let asked = 0;
    host.controls = async (key) => {
      asked += 1;
      if (asked === 1) throw { kind: "unreadable", args: { path: "a.json" }, refusal: null };
      return controls.call(host, key);
    };
    await rightClick(rowOf(container, "Type the pricing"));
    const failure = await screen.findByTestId("failure");
    expect(failure.textContent).toContain("a.json");
    expect(screen.queryByRole("menu")).toBeNull();
    const again = screen.getByRole("button", { name: "Try again" });
    await waitFor(() => expect(document.activeElement).toBe(again));
    await click(again);
    await screen.findByRole("menu");
    expect(screen.queryByTestId("failure")).toBeNull();
    await waitFor(() => expect(document.activeElement?.getAttribute("role")).toBe("menuitem"));
  });

  it("that can’t be had is left with Escape", async () => {
    const host = sampleHost();
    const container = await mountApp(host);
    host.controls = () => Promise.reject(new Error("gone"));
    await rightClick(rowOf(container, "Type the pricing"));
    await screen.findByTestId("failure");
    await press("{Escape}");
    expect(screen.queryByTestId("failure")).toBeNull();
  });

  it("that was closed before it came stays closed", async () => {
    const host = sampleHost();
    const container = await mountApp(host);
    const { controls } = host;
    let go = (): void => undefined;
    const gate = new Promise<void>((done) => (go = done));
    host.controls = async (key) => {
      const first = key === keyOf(host, "Type the pricing");
      if (first) await gate;
      return controls.call(host, key);
    };
    await rightClick(rowOf(container, "Type the pricing"));
    await rightClick(rowOf(container, "Implement user"));
    const menu = await screen.findByRole("menu");
    go();
    await gate;
    expect(screen.getAllByRole("menu")).toEqual([menu]);
  });
});
