import { screen, waitFor, within } from "@testing-library/svelte";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { AotChange, AotEffects, Failure, LoopChange } from "../src/host/bindings";
import type { MemoryHost } from "../src/host/memory";
import { Preview } from "../src/views/steps/preview.svelte";
import { keyOf, mountApp, sampleHost } from "./mount";
import { click, fill, press, send } from "./person";

const redo = (id: string): AotChange => ({ what: "redo", ids: [id] });

describe("a preview", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  /** Questions are answered by hand. */
  function slowHost() {
    const host = sampleHost();
    const open: {
      change: AotChange;
      answer: (effects: AotEffects) => void;
      refuse: (why: Failure) => void;
    }[] = [];
    host.redirectEffects = (_, change) =>
      new Promise((answer, refuse) => {
        open.push({ change, answer, refuse });
      });
    return { host, open };
  }

  async function effectsOf(change: AotChange): Promise<AotEffects> {
    const host = sampleHost();
    return host.redirectEffects(keyOf(host, "Checkout"), change);
  }

  it("asks once when several changes come in a row", async () => {
    const { host, open } = slowHost();
    const preview = new Preview(host, "key");
    void preview.follow(redo("A1"));
    void preview.follow(redo("A2"));
    expect(preview.reading).toBe(true);
    await vi.runAllTimersAsync();
    expect(open.map(({ change }) => change)).toEqual([redo("A2")]);
  });

  it("shows the newest answer, whichever comes last", async () => {
    const { host, open } = slowHost();
    const preview = new Preview(host, "key");
    void preview.follow(redo("A1"));
    await vi.runAllTimersAsync();
    void preview.follow(redo("A3"));
    await vi.runAllTimersAsync();
    const [old, newest] = [await effectsOf(redo("A1")), await effectsOf(redo("A3"))];
    open[1]!.answer(newest);
    await vi.runAllTimersAsync();
    open[0]!.answer(old);
    await vi.runAllTimersAsync();
    expect(preview.value).toEqual(newest);
    expect(preview.reading).toBe(false);
  });

  it("forgets an answer that the form no longer asks for", async () => {
    const { host, open } = slowHost();
    const preview = new Preview(host, "key");
    void preview.follow(redo("A1"));
    await vi.runAllTimersAsync();
    void preview.follow(null);
    open[0]!.answer(await effectsOf(redo("A1")));
    await vi.runAllTimersAsync();
    expect([preview.value, preview.reading]).toEqual([null, false]);
  });

  it("refuses only the form that it was asked about", async () => {
    const { host, open } = slowHost();
    const preview = new Preview(host, "key");
    void preview.follow(redo("A1"));
    await vi.runAllTimersAsync();
    const refusal = { code: "unknown_atom" as const, args: { id: "A1" }, status: null };
    open[0]!.refuse({ kind: "refused", args: {}, refusal });
    await vi.runAllTimersAsync();
    expect(preview.refusal).toEqual(refusal);
    void preview.follow(redo("A3"));
    expect(preview.refusal).toBeNull();
  });
});

async function openWork(host: MemoryHost): Promise<void> {
  host.open = keyOf(host, "Checkout");
  await mountApp(host);
  await screen.findByRole("tabpanel", { name: "Overview" });
  await click(screen.getByRole("tab", { name: /^Work/ }));
}

async function choose(menu: string, item: string): Promise<HTMLElement> {
  await click(await screen.findByTestId(menu));
  await click(await screen.findByTestId(`menu-aot_redirect-${item}`));
  return screen.findByRole("dialog", { name: "Redirect: Checkout: JWT or session tokens" });
}

async function type(field: string, value: string): Promise<void> {
  await fill(await screen.findByTestId(field), value);
}

function changes(host: MemoryHost): LoopChange[] {
  return host.asked.filter((one) => one.startsWith("change ")).map((one) => JSON.parse(one.slice(7)));
}

const confirm = () => screen.getByRole("button", { name: "Redirect" }) as HTMLButtonElement;

function box(list: HTMLElement, id: string): HTMLInputElement {
  const labels = [...list.querySelectorAll("label")];
  const label = labels.find((one) => one.querySelector("code")?.textContent === id);
  return label!.querySelector("input")!;
}

describe("the dialog of a redirect", () => {
  it("says in words and as a list what doing atoms again undoes", async () => {
    await openWork(sampleHost());
    await choose("atom-menu-A1", "redo");
    const reset = await screen.findByTestId("effect-reset");
    expect(reset.textContent).toContain("A1 · User model definition");
    expect(reset.textContent).toContain("A3 · Password hashing with argon2");
    expect(reset.textContent).toContain("depends on it");
    const said = screen.getByTestId("effects-said").textContent;
    expect(said).toContain("Resolved atoms set back to pending: 2.");
    expect(said).toContain("Results removed: 2.");
    expect(screen.getByTestId("effect-interrupted").textContent).toContain("A4_alt");
    expect(screen.getByTestId("effect-trail").textContent).toContain("token_method");
  });

  it("shows both texts of an objective, and nothing before there is a change", async () => {
    await openWork(sampleHost());
    await click(screen.getByRole("button", { name: "Redirect…" }));
    const preview = await screen.findByRole("region", { name: "What this does" });
    expect(preview.textContent).toContain("Change something in the form to see its effects.");
    await type("redirect-goal", "Sign in with a passkey");
    const texts = await screen.findByTestId("effect-texts");
    expect(texts.textContent).toMatch(/Goal: “Sign in with an email.*” → “Sign in with a passkey”/);
    expect(screen.getByTestId("effect-trail")).not.toBeNull();
  });

  it("shows a limit before and after", async () => {
    await openWork(sampleHost());
    await click(screen.getByRole("button", { name: "Redirect…" }));
    const what = await screen.findByTestId("redirect-what");
    await click(within(what).getByLabelText("Limits"));
    await type("redirect-max_iterations", "77");
    expect((await screen.findByTestId("effect-limits")).textContent).toMatch(/\d+ → 77/);
  });

  it("refuses a circle at the list of what the atom waits for, until it is gone", async () => {
    const host = sampleHost();
    await openWork(host);
    const dialog = await choose("atom-menu-A4_alt", "rewire");
    const needs = await screen.findByTestId("redirect-edit-needs");
    await waitFor(() => expect(needs.contains(document.activeElement)).toBe(true));
    await type("redirect-description", "The other way round");
    await click(box(needs, "A5"));
    const alert = await within(needs).findByRole("alert");
    expect(alert.textContent).toBe("These would wait for each other: A4_alt -> A5 -> A4_alt.");
    expect(needs.getAttribute("aria-describedby")).toBe(alert.id);
    expect(screen.getByText(/See above\./)).toBeTruthy();
    expect(confirm().disabled).toBe(true);
    await click(box(needs, "A5"));
    await click(box(needs, "A3"));
    await waitFor(() => expect(within(needs).queryByRole("alert")).toBeNull());
    expect((await screen.findByTestId("effect-edited")).textContent).toContain("A4_alt also waits for A3");
    expect(confirm().disabled).toBe(false);
    await send(dialog.querySelector("form")!);
    await waitFor(() => expect(screen.queryByTestId("step-dialog")).toBeNull());
    expect(changes(host)).toMatchObject([
      {
        operation: {
          step: { op: "redirect", change: { what: "edit_atom", id: "A4_alt", depends_on: ["A1", "A3"] } },
        },
      },
    ]);
  });

  it("can be confirmed before the preview is there", async () => {
    const host = sampleHost();
    host.redirectEffects = () => new Promise(() => {});
    await openWork(host);
    await choose("atom-menu-A3", "redo");
    await type("redirect-description", "Again");
    await waitFor(() => expect(confirm().disabled).toBe(false));
  });
});

describe("the graph", () => {
  const entries = () =>
    [...document.querySelectorAll<HTMLElement>('[data-testid^="menu-aot_redirect-"]')].map((one) =>
      one.dataset.testid?.slice("menu-aot_redirect-".length),
    );
  const ALL = ["add_atom", "edit_atom", "rewire", "force_selection", "decompose", "redo", "delete_atom"];

  it("offers every edit in the outline, the drawer and the toolbar", async () => {
    await openWork(sampleHost());
    await click(await screen.findByRole("button", { name: "Actions for A4" }));
    await screen.findByTestId("menu-aot_redirect-add_atom");
    expect(entries()).toEqual(ALL);
    await press("{Escape}", screen.getByTestId("menu-aot_redirect-add_atom"));
    await click(screen.getAllByTestId("atom-row").find((one) => one.dataset.id === "A4")!);
    for (const menu of ["unit-steps", "graph-edit"]) {
      await click(await screen.findByTestId(menu));
      await screen.findByTestId("menu-aot_redirect-add_atom");
      expect(entries(), menu).toEqual(ALL);
      await press("{Escape}", screen.getByTestId("menu-aot_redirect-add_atom"));
    }
  });

  it("says why resolved work is not edited, and still lets it be done again", async () => {
    await openWork(sampleHost());
    await click(await screen.findByRole("button", { name: "Actions for A1" }));
    for (const item of ["edit_atom", "rewire", "decompose", "delete_atom"]) {
      const entry = await screen.findByTestId(`menu-aot_redirect-${item}`);
      expect(entry.getAttribute("aria-disabled"), item).toBe("true");
      expect(entry.textContent).toContain("A1 is resolved.");
    }
    for (const item of ["add_atom", "redo"]) {
      const entry = screen.getByTestId(`menu-aot_redirect-${item}`);
      expect(entry.getAttribute("aria-disabled"), item).toBe("false");
    }
  });

  it("adds an atom after the selected one", async () => {
    const host = sampleHost();
    await openWork(host);
    const dialog = await choose("atom-menu-A5", "add_atom");
    await type("redirect-atom-description", "Log the sign-in");
    await type("redirect-description", "Audits need it");
    expect((await screen.findByTestId("effect-added")).textContent).toContain("Log the sign-in");
    await send(dialog.querySelector("form")!);
    await waitFor(() => expect(screen.queryByTestId("step-dialog")).toBeNull());
    expect(changes(host)).toMatchObject([
      { operation: { step: { change: { what: "add_atom", depends_on: ["A5"] } } } },
    ]);
  });

  it("offers a first atom while nothing is selected", async () => {
    await openWork(sampleHost());
    await click(await screen.findByRole("button", { name: "Edit graph" }));
    await screen.findByTestId("menu-aot_redirect-add_atom");
    expect(entries()).toEqual(ALL.filter((one) => one !== "rewire").sort(byOffer));
  });
});

const OFFER = ["add_atom", "edit_atom", "decompose", "force_selection", "redo", "delete_atom"];
const byOffer = (a: string, b: string) => OFFER.indexOf(a) - OFFER.indexOf(b);
