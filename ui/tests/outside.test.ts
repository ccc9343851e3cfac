import { cleanup, fireEvent, render, screen, waitFor } from "@testing-library/svelte";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Failure } from "../src/host/bindings";
import type { MemoryHost } from "../src/host/memory";
import { App as AppState } from "../src/state/app.svelte";
import { language } from "../src/words/language.svelte";
import AddressStage from "./AddressStage.svelte";
import { keyOf, mountApp, sampleHost } from "./mount";
import { choose, click, fill, press } from "./person";

let host: MemoryHost;
let container: HTMLElement;
const failure = (kind: Failure["kind"]): Failure => ({ kind, args: {}, refusal: null });
const last = () => host.asked.at(-1);
const toast = () => container.querySelector(".toast")?.textContent;

beforeEach(() => {
  language.id = "en";
  host = sampleHost();
});
afterEach(cleanup);

async function openLoop(title: string, tab: string): Promise<void> {
  container = await mountApp(host);
  const key = keyOf(host, title);
  host.push({ kind: "linked", key, tab, item: null });
  await screen.findByTestId(`panel-${tab}`);
}

async function location(id: string): Promise<HTMLElement> {
  const card = await waitFor(() => {
    const found = container.querySelector<HTMLElement>(`[data-card="${id}"] [data-testid="location"]`);
    if (!found) throw new Error("no card yet");
    return found;
  });
  await waitFor(() => expect(card.dataset.tip).not.toBe(""));
  return card;
}

describe("a logging point", () => {
  it("opens in the editor at its line, by the pointer and with e", async () => {
    await openLoop("Implement user", "debug");
    await click(await location("H2"));
    await waitFor(() => expect(last()).toBe("place src/limit/key.ts:31"));
    const card = container.querySelector<HTMLElement>('[data-card="H1"]')!;
    card.focus();
    await press("e", card);
    await waitFor(() => expect(last()).toBe("place src/app.ts:54"));
  });

  it("opens from the table too, and the files of an event from the timeline", async () => {
    await openLoop("Implement user", "debug");
    await location("H2");
    await click(screen.getByRole("radio", { name: "Table" }));
    await waitFor(() => expect(screen.getAllByTestId("hypothesis-row")).toHaveLength(5));
    await click(await location("H2"));
    await waitFor(() => expect(last()).toBe("place src/limit/key.ts:31"));
    expect(screen.queryByTestId("hypothesis"), "the row itself is not opened").toBeNull();
    await click(screen.getByRole("tab", { name: /^Activity/ }));
    await screen.findByRole("treegrid", { name: "What happened, oldest first" });
    const events = await screen.findAllByTestId("timeline-entry");
    await click(events.find((one) => /\d files?/.test(one.textContent))!);
    const file = await waitFor(() => {
      const [found] = screen.getAllByTestId("file");
      expect(found?.dataset.tip).toContain("Open");
      return found!;
    });
    await click(file);
    await waitFor(() => expect(last()).toBe(`place ${file.textContent}`));
  });

  it("of a file that is not there says why, and is copied", async () => {
    host.missing.add("src/limit/key.ts");
    await openLoop("Implement user", "debug");
    const at = await location("H2");
    await waitFor(() => expect(at.dataset.tip).toContain("no such file"));
    await click(at);
    expect(host.asked.filter((one) => one.startsWith("place"))).toEqual([]);
    await click(container.querySelector('[data-card="H2"]')!);
    const button = await screen.findByTestId("open-location");
    expect(button.getAttribute("aria-disabled")).toBe("true");
    expect(button.dataset.tip).toContain("no such file");
  });

  it("without an editor offers to copy the place, and the settings", async () => {
    await openLoop("Implement user", "debug");
    const at = await location("H2");
    host.failNext = failure("no_editor");
    await click(at);
    const dialog = await screen.findByRole("dialog", { name: "Open src/limit/key.ts:31" });
    expect(dialog.textContent).toContain("src/limit/key.ts:31");
    await click(screen.getByRole("button", { name: "Set an editor" }));
    expect(await screen.findByRole("dialog", { name: "Settings" })).toBeTruthy();
  });

  it("that the workspace does not have any more is said beside the loop", async () => {
    await openLoop("Implement user", "debug");
    const at = await location("H2");
    host.failNext = { ...failure("file_missing"), args: { path: "src/limit/key.ts" } };
    await click(at);
    await waitFor(() =>
      expect(screen.getByTestId("failure").textContent).toContain("src/limit/key.ts isn’t in"),
    );
  });
});

describe("the editor in the settings", () => {
  it("is chosen, tried, and replaced by a command of one's own", async () => {
    container = await mountApp(host);
    await press("{Control>},{/Control}");
    const select = (await screen.findByRole("combobox", { name: "Editor" })) as HTMLSelectElement;
    await waitFor(() => expect(select.textContent).toContain("Automatic: Visual Studio Code"));
    await choose(select, "gnome-text-editor");
    expect(host.settings.editor).toEqual({ id: "gnome-text-editor", command: [] });
    await click(screen.getByRole("button", { name: "Try it" }));
    await screen.findByTestId("editor-tried");
    await choose(select, "custom");
    await fill(
      await screen.findByRole("textbox", { name: "Program and arguments, one per line" }),
      "my editor\n\n--line\n{line}\n{file}",
    );
    await waitFor(() =>
      expect(host.settings.editor).toEqual({
        id: "custom",
        command: ["my editor", "--line", "{line}", "{file}"],
      }),
    );
    expect(screen.queryByTestId("editor-tried")).toBeNull();
    host.failNext = failure("editor_command");
    await click(screen.getByRole("button", { name: "Try it" }));
    await waitFor(() => expect(screen.getByTestId("failure").dataset.kind).toBe("editor_command"));
  });

  it("that is not there any more stays the one that was chosen", async () => {
    host.settings = { editor: { id: "kate", command: [] } };
    container = await mountApp(host);
    await press("{Control>},{/Control}");
    const select = (await screen.findByRole("combobox", { name: "Editor" })) as HTMLSelectElement;
    await waitFor(() => expect(select.textContent).toContain("kate (not found)"));
    expect(select.value).toBe("kate");
  });
});

describe("places in the tests", () => {
  it("open from the stack and from the row", async () => {
    await openLoop("Implement user", "tests");
    const button = (await screen.findByTestId("open-place")) as HTMLButtonElement;
    await waitFor(() => expect(button.disabled).toBe(false));
    await click(button);
    await waitFor(() => expect(last()).toMatch(/^place .+\.rs:\d+/));
    const asked = host.asked.length;
    await click(screen.getAllByTestId("stack-place")[0]!);
    await waitFor(() => expect(host.asked.length).toBeGreaterThan(asked));
    expect(last()).toMatch(/^place /);
  });
});

describe("files that loops name", () => {
  it("open from coverage, and say why they do not", async () => {
    await openLoop("Implement user", "tests");
    await click(await screen.findByRole("radio", { name: "Coverage" }));
    const file = (await screen.findAllByTestId("coverage-file"))[0]!;
    await waitFor(() => expect(file.getAttribute("aria-disabled")).toBe("false"));
    await click(file);
    await waitFor(() => expect(last()).toBe(`place ${file.textContent}`));
    host.missing.add(file.textContent!);
    await fireEvent.focus(window);
    await waitFor(() => expect(file.getAttribute("aria-disabled")).toBe("true"));
    expect(file.dataset.tip).toContain("no such file");
    const asked = host.asked.length;
    await click(file);
    expect(host.asked).toHaveLength(asked);
    expect(toast()).toContain("no such file");
  });
});

describe("what is saved", () => {
  it("goes through the dialog, and nothing is said when the person cancels", async () => {
    await openLoop("Checkout", "work");
    const save = async () => {
      await click(await screen.findByRole("button", { name: "Copy and save" }));
      await click(await screen.findByRole("menuitem", { name: "Save outline as Markdown…" }));
    };
    await save();
    await waitFor(() => expect(last()).toMatch(/^save work-graph-.+\.md \d{3,}$/));
    await waitFor(() => expect(toast()).toMatch(/^Saved: ~\/Downloads\/work-/));
    host.savedAs = null;
    const said = toast();
    await save();
    expect(toast()).toBe(said);
  });
});

describe("an address in a document", () => {
  const show = (address: string) => {
    const app = new AppState(host);
    return render(AddressStage, { props: { app, address } });
  };

  it.each([
    ["https://example.org/a?b=c", "https://example.org/a?b=c", "example.org"],
    ["https://ana@exämple.org/", "https://ana@xn--exmple-cua.org/", "xn--exmple-cua.org"],
    ["mailto:ana@example.org", "mailto:ana@example.org", "mail program"],
  ])("%s is shown whole, and opened after a click", async (address, opened, said) => {
    show(address);
    const bar = screen.getByRole("dialog", { name: "Link address" });
    expect(bar.textContent).toContain(opened);
    expect(bar.textContent).toContain(said);
    expect(host.asked).toEqual([]);
    await click(screen.getByRole("button", { name: "Open" }));
    await waitFor(() => expect(host.asked).toEqual([`address ${opened}`]));
  });

  it.each(["javascript:alert(1)", "file:///etc/passwd", "vscode://file/a", "../notes.md", ""])(
    "%s is only shown",
    (address) => {
      show(address);
      expect(screen.queryByTestId("open-address")).toBeNull();
      expect(screen.getByRole("dialog", { name: "Link address" }).textContent).toContain(
        "Only web and mail addresses",
      );
    },
  );

  it("that the desktop does not open says so", async () => {
    show("https://example.org/");
    host.failNext = { ...failure("bad_address"), args: { address: "https://example.org/" } };
    await click(screen.getByRole("button", { name: "Open" }));
    await waitFor(() => expect(screen.getByTestId("failure").dataset.kind).toBe("bad_address"));
  });
});
