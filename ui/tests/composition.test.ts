import { cleanup, waitFor } from "@testing-library/svelte";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { mountApp, sampleHost } from "./mount";
import { press } from "./person";

/** The page says that they are of a composition, or, after its end, only the key code does. */
const OF_INPUT_METHOD: readonly KeyboardEventInit[] = [
  { isComposing: true, keyCode: 229 },
  { isComposing: true, keyCode: 13 },
  { isComposing: false, keyCode: 229 },
];
const KEYS = ["Enter", "Escape", "ArrowDown", "ArrowUp", "Tab", " ", "Backspace", "n", "k", "Process"];

const byId = (id: string) => document.querySelector<HTMLElement>(`[data-testid="${id}"]`);

/** Every press that an input method may make; returns those that the page took for itself. */
function compose(target: Element): string[] {
  const taken: string[] = [];
  for (const init of OF_INPUT_METHOD)
    for (const key of KEYS)
      for (const kind of ["keydown", "keypress", "keyup"])
        for (const ctrlKey of [false, true]) {
          const event = new KeyboardEvent(kind, { ...init, key, ctrlKey, bubbles: true, cancelable: true });
          target.dispatchEvent(event);
          if (event.defaultPrevented) taken.push(`${kind} ${key}`);
        }
  return taken;
}

/** How often a handler of a key was called, wherever it is. */
let heard = 0;
const counted = new WeakMap<object, EventListener>();

/** The same handler, which is counted when a key calls it. */
function counting(type: string, handler: EventListenerOrEventListenerObject | null): typeof handler {
  if (!type.startsWith("key") || typeof handler !== "function") return handler;
  const known = counted.get(handler);
  if (known) return known;
  const counts = function (this: unknown, event: Event): void {
    heard += 1;
    handler.call(this, event);
  };
  counted.set(handler, counts);
  return counts;
}

/** Where the environment keeps the methods of all elements; the window has its own. */
const owners = [document.body, window].map((target: object) => {
  while (!Object.hasOwn(target, "addEventListener")) target = Object.getPrototypeOf(target) as object;
  return target as EventTarget;
});
const own = owners.map(({ addEventListener: add, removeEventListener: remove }) => ({ add, remove }));

beforeEach(() => {
  heard = 0;
  owners.forEach((owner, at) => {
    const { add, remove } = own[at]!;
    owner.addEventListener = function (this: EventTarget, type, handler, options) {
      add.call(this, type, counting(type, handler), options);
    };
    owner.removeEventListener = function (this: EventTarget, type, handler, options) {
      remove.call(this, type, counting(type, handler), options);
    };
  });
});
afterEach(() => {
  cleanup();
  owners.forEach((owner, at) => {
    owner.addEventListener = own[at]!.add;
    owner.removeEventListener = own[at]!.remove;
  });
});

describe("Keys of an input method", () => {
  it("reach no handler of the page", async () => {
    await mountApp(sampleHost());
    const filter = byId("filter") as HTMLInputElement;
    filter.focus();
    filter.value = "xin";
    expect(compose(filter)).toEqual([]);
    expect(compose(document.body)).toEqual([]);
    expect(document.activeElement).toBe(filter);
    expect(filter.value).toBe("xin");
    expect(heard).toBe(0);
    await press("{Escape}", filter);
    expect(heard, "other keys do").toBeGreaterThan(0);
  });

  it("run nothing in the palette, and don't close it", async () => {
    await mountApp(sampleHost());
    await press("{Control>}k{/Control}");
    await waitFor(() => expect(byId("palette")).not.toBeNull());
    const field = byId("palette")!.querySelector("input")!;
    await press("overview", field);
    heard = 0;
    expect(compose(field)).toEqual([]);
    expect(heard).toBe(0);
    expect(byId("palette")).not.toBeNull();
    expect(field.value).toBe("overview");
  });

  it("don't make the browser close a dialog; Escape itself does", async () => {
    await mountApp(sampleHost());
    await press("{Control>}k{/Control}");
    await waitFor(() => expect(byId("palette")).not.toBeNull());
    const dialog = byId("palette")!;
    const init = { key: "Escape", bubbles: true, cancelable: true };
    // What WebKit does with an Escape that nothing prevents.
    const closes = (keyCode: number) => {
      const key = new KeyboardEvent("keydown", { ...init, keyCode });
      dialog.querySelector("input")!.dispatchEvent(key);
      return key.defaultPrevented || dialog.dispatchEvent(new Event("cancel", { cancelable: true }));
    };
    expect(closes(229)).toBe(false);
    expect(byId("palette")).not.toBeNull();
    expect(closes(27)).toBe(true);
    await waitFor(() => expect(byId("palette")).toBeNull());
  });

  it("neither send nor leave the start form", async () => {
    await mountApp(sampleHost());
    await press("n");
    await waitFor(() => expect(byId("start-view")).not.toBeNull());
    const goal = await waitFor(() => byId("start-view")!.querySelector<HTMLElement>("textarea")!);
    await press("Ship it", goal);
    heard = 0;
    expect(compose(goal)).toEqual([]);
    expect(heard).toBe(0);
    expect(byId("start-view")!.contains(goal)).toBe(true);
  });

  it("are kept from every handler because the page begins with it", async () => {
    document.body.innerHTML = '<div id="app"></div>';
    const first: string[] = [];
    const { addEventListener: add } = window;
    window.addEventListener = ((type: string, ...rest: [never]) => {
      if (type.startsWith("key")) first.push(type);
      add.call(window, type, ...rest);
    }) as typeof window.addEventListener;
    await import("../src/main");
    await waitFor(() => expect(document.querySelector("#app > *")).not.toBeNull());
    window.addEventListener = add;
    expect(first.slice(0, 3)).toEqual(["keydown", "keypress", "keyup"]);
    expect(first.length, "its own handlers come after it").toBeGreaterThan(3);
  });
});
