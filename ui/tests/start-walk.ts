import { fireEvent, screen, waitFor } from "@testing-library/svelte";
import { expect } from "vitest";
import type { MemoryHost } from "../src/host/memory";
import { sampleAgents } from "../src/host/sample-agents";
import { sampleFolders, sampleReview } from "../src/host/sample-start";
import { t, type LanguageId } from "../src/words/language.svelte";
import { mountApp, sampleHost } from "./mount";
import { click, fill } from "./person";

/** A host whose agents, folders and reviews are those of the samples. */
export function startHost(language: LanguageId = "en"): MemoryHost {
  const host = sampleHost();
  host.settings = { language };
  host.runs.agentRows = sampleAgents();
  for (const [path, facts] of sampleFolders()) host.runs.folders.set(path, facts);
  host.runs.reviewOf = (form) => {
    const facts = host.runs.folders.get(form.folder);
    return sampleReview(form, facts?.trusted ?? false, facts?.taken.includes("aot"));
  };
  return host;
}

export const GOAL = "Mend the login.";
export const page = () => screen.getByTestId("start-page").dataset.page;
export const type = (testid: string, value: string) => fill(screen.getByTestId(testid), value);
/** Chooses from a list that a form is bound to. */
export async function pick(testid: string, value: string): Promise<void> {
  await pickIn(screen.getByTestId(testid), value);
}
export async function pickIn(field: HTMLElement, value: string): Promise<void> {
  const list = field as HTMLSelectElement;
  list.value = value;
  // The DOM of these tests does not know that a chosen option is `:checked`, which is what the binding asks for.
  const chosen = () => list.options[list.selectedIndex] ?? null;
  Object.defineProperty(list, "querySelector", { value: chosen, configurable: true });
  await fireEvent.change(list);
}

export const submit = () => fireEvent.submit(screen.getByTestId("start-view").querySelector("form")!);
export const focused = () => (document.activeElement as HTMLElement | null)?.dataset.testid;

export async function openForm(host: MemoryHost): Promise<HTMLElement> {
  const container = await mountApp(host);
  await click(await screen.findByTestId("start-loop"));
  await screen.findByTestId("goal");
  return container;
}

export async function next(to: string): Promise<void> {
  await submit();
  await waitFor(() => expect(page()).toBe(to));
}

/** Chooses the first folder, which is trusted. */
export async function chooseFolder(): Promise<void> {
  await click(screen.getAllByTestId("folder")[0]!);
  await screen.findByTestId("folder-facts");
}

/** Through the form up to a page, with everything that is needed; `ready` is the last one with nothing left to choose. */
export async function walk(host: MemoryHost, to: "work" | "run" | "ready"): Promise<HTMLElement> {
  const container = await openForm(host);
  await type("goal", GOAL);
  if (to === "work") return container;
  await chooseFolder();
  await next("run");
  if (to === "run") return container;
  await click(await screen.findByTestId("level-edit_files"));
  await screen.findByTestId("command-line");
  return container;
}

/** Through the form of an AoT loop up to a page, with everything that is needed before it. */
export async function walkAot(
  host: MemoryHost,
  to: "work" | "checks" | "atoms" | "run" | "ready",
): Promise<HTMLElement> {
  const container = await openForm(host);
  await click(screen.getByTestId("recipe-checklist"));
  await type("goal", GOAL);
  await screen.findByTestId("start-deliverables");
  for (const field of ["background_intent", "deliverables", "definition_of_done"]) {
    await type(`start-${field}`, `The ${field}`);
  }
  await chooseFolder();
  if (to === "work") return container;
  await next("checks");
  if (to === "checks") return container;
  const useTests = new RegExp(`^${String(t.start.useTests).replace("{command}", ".+")}$`);
  await click(screen.getByRole("button", { name: useTests }));
  await next("atoms");
  if (to === "atoms") return container;
  await next("run");
  if (to === "run") return container;
  await click(await screen.findByTestId("level-edit_files"));
  return container;
}
