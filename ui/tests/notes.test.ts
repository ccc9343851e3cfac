import { screen, waitFor, within } from "@testing-library/svelte";
import { describe, expect, it } from "vitest";
import { keyOf, mountApp, rowOf, sampleHost } from "./mount";
import { click, fill, press } from "./person";

const LOOP = "Migrate sessions to Redis";

async function openNotes(host = sampleHost()) {
  host.open = keyOf(host, LOOP);
  const container = await mountApp(host);
  const part = await screen.findByRole("region", { name: "Notes and labels" });
  return { host, container, part };
}

const add = (part: HTMLElement) => click(within(part).getByRole("button", { name: "Edit notes and labels" }));
const field = (part: HTMLElement, name: string) =>
  within(part).getByRole("textbox", { name: new RegExp(`^${name}`) });

describe("notes and labels", () => {
  it("are kept, shown as text, and seen in the list", async () => {
    const { host, container, part } = await openNotes();
    await add(part);
    expect(document.activeElement).toBe(field(part, "Note"));
    await fill(field(part, "Note"), "Ask Ana <b>first</b>");
    await fill(field(part, "Labels"), "release 2, urgent, urgent");
    await click(within(part).getByRole("button", { name: "Save" }));
    await waitFor(() => expect(part.textContent).toContain("Ask Ana <b>first</b>"));
    expect(host.asked).toContain('notes {"note":"Ask Ana <b>first</b>","labels":["release 2","urgent"]}');
    const labels = within(part).getByRole("list", { name: "Labels" });
    expect(
      within(labels)
        .getAllByRole("listitem")
        .map((item) => item.textContent),
    ).toEqual(["release 2", "urgent"]);
    await click(screen.getByRole("button", { name: "Loops 16" }));
    expect(rowOf(container, LOOP).textContent).toContain("release 2");
    await fill(screen.getByRole("combobox", { name: "Filter loops" }), 't:"release 2"');
    await waitFor(() => expect(container.querySelectorAll('[data-testid="loop-row"]')).toHaveLength(1));
  });

  it("are saved with Ctrl+Enter, and left as they were with Escape", async () => {
    const { host, part } = await openNotes();
    await add(part);
    await fill(field(part, "Note"), "first");
    await press("{Control>}{Enter}{/Control}");
    const edit = await within(part).findByRole("button", { name: "Edit notes and labels" });
    await waitFor(() => expect(document.activeElement).toBe(edit));
    await click(edit);
    await fill(field(part, "Note"), "second");
    await press("{Escape}");
    expect(part.textContent).toContain("first");
    expect(host.asked.filter((one) => one.startsWith("notes"))).toHaveLength(1);
    expect(document.activeElement?.textContent).toContain("Edit notes and labels");
  });

  it("that are not saved yet outlive a change of tab, and of loop", async () => {
    const { host, part } = await openNotes();
    await add(part);
    await fill(field(part, "Note"), "half a thought");
    await click(screen.getByRole("tab", { name: /^Files/ }));
    await screen.findByTestId("panel-files");
    await click(screen.getByTestId("tab-overview"));
    const again = await screen.findByRole("region", { name: "Notes and labels" });
    expect((field(again, "Note") as HTMLTextAreaElement).value).toBe("half a thought");
    await click(screen.getByRole("button", { name: "Loops 16" }));
    await click(rowOf(document.body, "Implement user").querySelector(".title")!);
    const other = await screen.findByRole("region", { name: "Notes and labels" });
    expect(within(other).queryByRole("textbox")).toBeNull();
    await click(screen.getByRole("button", { name: "Loops 16" }));
    await click(rowOf(document.body, LOOP).querySelector(".title")!);
    const third = await screen.findByRole("region", { name: "Notes and labels" });
    expect((field(third, "Note") as HTMLTextAreaElement).value).toBe("half a thought");
    await click(within(third).getByRole("button", { name: "Save" }));
    await waitFor(() => expect(third.textContent).toContain("half a thought"));
    expect(host.asked).toContain('notes {"note":"half a thought","labels":[]}');
    expect(within(third).queryByRole("textbox")).toBeNull();
  });

  it("that cannot be kept stay in the form", async () => {
    const { host, part } = await openNotes();
    await add(part);
    await fill(field(part, "Note"), "a text");
    host.failNext = { kind: "own_data", args: { reason: "disk full" }, refusal: null };
    await click(within(part).getByRole("button", { name: "Save" }));
    await waitFor(() => expect(part.textContent).toContain("disk full"));
    expect((field(part, "Note") as HTMLTextAreaElement).value).toBe("a text");
  });
});
