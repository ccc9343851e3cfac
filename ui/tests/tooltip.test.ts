import { fireEvent, render, screen } from "@testing-library/svelte";
import { tick } from "svelte";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import Tooltip from "../src/components/Tooltip.svelte";
import { LINGER, PAUSE, ROW_PAUSE, tips } from "../src/components/tips.svelte";
import { press } from "./person";

function put(
  tag: string,
  attributes: Record<string, string>,
  text = "",
  parent: Element = stage,
): HTMLElement {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.textContent = text;
  parent.append(node);
  return node;
}

function cut(node: HTMLElement): HTMLElement {
  Object.defineProperty(node, "scrollWidth", { value: 500 });
  Object.defineProperty(node, "clientWidth", { value: 100 });
  node.style.overflow = "hidden";
  return node;
}

let stage: HTMLElement;

const TIP = new DOMRect(0, 0, 120, 30);
const WINDOW = new DOMRect(0, 0, innerWidth, innerHeight);

/** happy-dom lays nothing out: everything is a small box in a window of its size, but for the tip. */
function layOut(): void {
  const fixed = (on: object, name: string, value: number) =>
    void Object.defineProperty(on, name, { value, configurable: true });
  fixed(document.documentElement, "clientWidth", innerWidth);
  fixed(document.documentElement, "clientHeight", innerHeight);
  vi.spyOn(HTMLElement.prototype, "offsetWidth", "get").mockReturnValue(TIP.width);
  vi.spyOn(HTMLElement.prototype, "offsetHeight", "get").mockReturnValue(TIP.height);
  vi.spyOn(HTMLElement.prototype, "getBoundingClientRect").mockImplementation(function (this: HTMLElement) {
    if (this === document.documentElement || this === document.body) return WINDOW;
    return this.role === "tooltip" ? TIP : new DOMRect(100, 100, 24, 24);
  });
}

beforeEach(() => {
  layOut();
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  stage = document.createElement("div");
  document.body.append(stage);
  render(Tooltip);
});
afterEach(() => {
  vi.restoreAllMocks();
  stage.remove();
  vi.useRealTimers();
});

const said = () => screen.queryByRole("tooltip")?.textContent ?? null;

async function wait(time: number): Promise<string | null> {
  vi.advanceTimersByTime(time);
  await tick();
  return said();
}
async function point(at: Element, time = PAUSE): Promise<string | null> {
  await fireEvent.pointerOver(at, { clientX: 800, clientY: 600 });
  return wait(time);
}
/** happy-dom does not know which focus is to be seen. */
function focusVisibly(at: HTMLElement): void {
  const matches = at.matches.bind(at);
  at.matches = ((one: string) => one === ":focus-visible" || matches(one)) as typeof at.matches;
  at.focus();
}
/** With the keyboard: a focus that a click moves shows nothing. */
async function tabTo(at: HTMLElement, time = 0): Promise<string | null> {
  await press("{Tab}");
  focusVisibly(at);
  return wait(time);
}
const button = (tip: string, label = tip) => put("button", { "data-tip": tip, "aria-label": label });

describe("a tip", () => {
  it("is shown to whoever stays at what has something to tell, and not to who passes", async () => {
    const one = button("Copy the path");
    expect(await point(one, PAUSE - 1)).toBeNull();
    await point(stage, PAUSE);
    expect(said()).toBeNull();
    expect(await point(one)).toBe("Copy the path");
  });

  it("never repeats what can be read, and shows whole what is cut", async () => {
    const whole = put("span", { "data-tip": "Cache the list" }, "Cache the list");
    expect(await point(whole)).toBeNull();
    expect(await point(cut(put("span", { "data-tip": "Cache the list" }, "Cache the list")))).toBe(
      "Cache the list",
    );
    await point(whole, LINGER);
    expect(said()).toBeNull();
    expect(await point(cut(put("span", { class: "cut" }, "A long path")))).toBe("A long path");
    await point(stage, LINGER);
    expect(await point(put("span", { class: "cut" }, "A short path"))).toBeNull();
  });

  it("tells of what is around, where the nearest has nothing to tell", async () => {
    const outer = put("div", { "data-tip": "Ran for 2 min" });
    const inner = put("span", { class: "cut" }, "Tests", outer);
    expect(await point(inner)).toBe("Ran for 2 min");
  });

  it("stays for a pointer that moves onto it, and goes with one that leaves", async () => {
    await point(button("Copy the path"));
    const onTip = { clientX: TIP.x + 60, clientY: TIP.y + 10 };
    await fireEvent.pointerOver(stage, { clientX: 500, clientY: 500 });
    await fireEvent.pointerOver(stage, onTip);
    expect(await wait(10 * LINGER)).toBe("Copy the path");
    await fireEvent.pointerMove(stage, { clientX: 500, clientY: 500 });
    expect(await wait(LINGER)).toBeNull();
  });

  it("follows what is learned while the pointer waits", async () => {
    const verb = button("", "Pause");
    expect(await point(verb)).toBeNull();
    verb.dataset.tip = "Writes that the loop is paused.";
    await vi.waitFor(() => expect(said()).toBe("Writes that the loop is paused."));
  });

  it("goes when something is pressed or typed", async () => {
    const one = button("Copy the path");
    await point(one);
    await fireEvent.pointerDown(one);
    expect(said()).toBeNull();
    await point(stage);
    await point(one);
    await press("a");
    expect(said()).toBeNull();
  });
});

describe("with the keyboard a tip", () => {
  it("comes with the focus at once, describes what has it, and goes with it", async () => {
    const one = button("Writes that the loop is paused.", "Pause");
    expect(await tabTo(one)).toBe("Writes that the loop is paused.");
    expect(one.getAttribute("aria-describedby")).toBe(screen.getByRole("tooltip").id);
    one.blur();
    // A focus is lost in the middle of an update, too, when what had it leaves the page: no state may change there.
    expect(tips.shown).not.toBeNull();
    expect(await wait(0)).toBeNull();
    expect(one.hasAttribute("aria-describedby")).toBe(false);
  });

  it("does not come with a focus that a click has moved", async () => {
    const one = button("Copy the path");
    await fireEvent.pointerDown(document.body);
    focusVisibly(one);
    expect(await wait(PAUSE)).toBeNull();
  });

  it("is dismissed with Escape, which then does nothing else", async () => {
    const heard = vi.fn();
    document.body.addEventListener("keydown", heard);
    await tabTo(button("Writes that the loop is paused.", "Pause"));
    heard.mockClear();
    await press("{Escape}");
    expect(said()).toBeNull();
    expect(heard).not.toHaveBeenCalled();
    await press("{Escape}");
    expect(heard).toHaveBeenCalledOnce();
    document.body.removeEventListener("keydown", heard);
  });

  it("leaves Escape to the page where it is only the name, or the pointer's", async () => {
    const heard = vi.fn();
    document.body.addEventListener("keydown", heard);
    await tabTo(button("Close"));
    heard.mockClear();
    await press("{Escape}");
    await point(button("Copy the path"));
    await press("{Escape}");
    expect(said()).toBeNull();
    expect(heard).toHaveBeenCalledTimes(2);
    document.body.removeEventListener("keydown", heard);
  });

  it("shows what is cut in a row where somebody stays", async () => {
    const row = put("div", { role: "row", tabindex: "0" });
    cut(put("span", { class: "cut" }, "A very long title", row));
    expect(await tabTo(row, ROW_PAUSE - 1)).toBeNull();
    expect(await wait(1)).toBe("A very long title");
  });
});

describe("the place of a tip", () => {
  async function placed(anchor: HTMLElement, box: DOMRect): Promise<DOMRect> {
    anchor.getBoundingClientRect = () => box;
    await point(anchor);
    const tip = screen.getByRole("tooltip");
    await vi.waitFor(() => expect(tip.style.left).not.toBe(""));
    return new DOMRect(parseFloat(tip.style.left), parseFloat(tip.style.top), TIP.width, TIP.height);
  }

  it("is below", async () => {
    const tip = await placed(button("Copy the path"), new DOMRect(100, 100, 24, 24));
    expect([tip.x, tip.y]).toEqual([100, 130]);
  });

  it("is above at the lower edge and in rows, and never beyond the edges of the window", async () => {
    const low = await placed(button("Copy the path"), new DOMRect(innerWidth - 30, innerHeight - 30, 24, 24));
    expect(low.bottom).toBe(innerHeight - 36);
    expect(low.right).toBe(innerWidth - 8);
  });

  it("is above in rows, where people read on downwards", async () => {
    const row = put("div", { role: "row" });
    const anchor = put("button", { "data-tip": "Stops it" }, "", row);
    const tip = await placed(anchor, new DOMRect(100, 100, 24, 24));
    expect(tip.bottom).toBe(94);
  });

  it("is inside the dialog that it is about: what is outside cannot be reached", async () => {
    const dialog = put("dialog", { open: "" });
    const anchor = put("button", { "data-tip": "Closes it" }, "", dialog);
    await placed(anchor, new DOMRect(100, 100, 24, 24));
    expect(screen.getByRole("tooltip").closest("dialog")).toBe(dialog);
  });
});
