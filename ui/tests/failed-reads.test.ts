import { screen, waitFor, within } from "@testing-library/svelte";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { failure } from "../src/host/memory-list";
import { MemoryHost } from "../src/host/memory";
import { t } from "../src/words/language.svelte";
import { UI } from "./lists";
import { keyOf, mountApp, needyHost, rowOf } from "./mount";
import { click, fill, press, rightClick } from "./person";

const LOST = "the disk is gone";
/** Without these there is no window, or nothing to open in it. */
const NEEDED =
  /^(on[A-Z]|openOutline|changes|subscribe|painted|work|ask|fill|rows|write|set|keep|save|visit|start|summary|controls$)/;

/** From now on every read fails; the answer repairs the disk. */
function breakReads(host: MemoryHost): () => void {
  let broken = true;
  for (const part of [host, host.runs, host.finishing] as unknown as Record<string, unknown>[]) {
    const names = new Set([...Object.keys(part), ...Object.getOwnPropertyNames(Object.getPrototypeOf(part))]);
    for (const name of names) {
      const own = Object.getOwnPropertyDescriptor(part, name);
      const does = own?.get ? null : part[name];
      if (typeof does !== "function" || NEEDED.test(name) || name === "constructor") continue;
      part[name] = (...given: unknown[]) =>
        broken ? Promise.reject(failure("own_data", { reason: LOST })) : does.apply(part, given);
    }
  }
  return () => (broken = false);
}

const failed = () =>
  screen.queryAllByRole("alert", { hidden: true }).filter((one) => one.textContent?.includes(LOST));
const retries = (within_: HTMLElement) =>
  within(within_).queryAllByRole("button", { name: t.common.tryAgain, hidden: true });
const tab = (name: RegExp) => async () => click(await screen.findByRole("tab", { name }));
const item = (title: string, id: string) => async () => {
  await rightClick(rowOf(document.body, title));
  const more = screen.queryByTestId("menu-more");
  if (!screen.queryByTestId(`menu-${id}`) && more) await click(more);
  await click(await screen.findByTestId(`menu-${id}`));
};
const dashboard = (name: string) => async () => {
  await press("gs");
  await click(await screen.findByRole("button", { name, hidden: true }));
};

/** Where a person is, and how they get there; with a loop, on its page. */
const PLACES: readonly [string, string | null, (host: MemoryHost) => Promise<unknown>][] = [
  ["the dashboard", null, () => press("gs")],
  [
    "trends",
    null,
    async () => {
      await press("gs");
      await click(await screen.findByText(t.trends.title));
    },
  ],
  ["attention rules", null, dashboard(t.common.attentionRules)],
  ["a report", null, dashboard(t.reportDialog.open)],
  ["agents", null, () => press("ga")],
  ["the team", null, () => press("gm")],
  [
    "needs",
    null,
    async (host) => {
      await press("gi");
      host.runs.setNeeds([]);
    },
  ],
  ["settings", null, () => press("{Control>},{/Control}")],
  ["the start form", null, () => press("n")],
  [
    "search",
    null,
    async () => {
      await press("gf");
      await fill(await screen.findByRole("textbox", { name: t.shortcuts.names.search }), "redis");
    },
  ],
  ["what a loop compares with", null, item("Type the pricing", "compare")],
  ["details of a loop", null, item("Type the pricing", "edit_metadata")],
  ["files to delete", null, item("Type the pricing", "delete")],
  ["the work of a loop", null, item("Type the pricing", "finish")],
  ["an overview", "Checkout", async () => undefined],
  ["tests", "Implement user", tab(/Tests/)],
  ["activity", "Implement user", tab(/Activity/)],
  ["output", "Implement user", tab(/Output/)],
  ["files", "Implement user", tab(/Files/)],
];

describe("a read that fails", () => {
  it.each(PLACES)("can be repeated: %s", async (_, loop, go) => {
    const host = needyHost();
    if (loop !== null) host.open = keyOf(host, loop);
    await mountApp(host);
    if (loop !== null) await screen.findByRole("tabpanel", { name: "Overview" });
    const repair = breakReads(host);
    await go(host);
    if (loop !== null) host.write(keyOf(host, loop), {});
    await waitFor(() => expect(failed().length).toBeGreaterThan(0));
    for (const one of failed()) expect(retries(one), one.textContent ?? "").toHaveLength(1);
    repair();
    for (const one of failed()) for (const retry of retries(one)) await click(retry);
    await waitFor(() => expect(failed().map((one) => one.textContent)).toEqual([]));
  });
});

/** Components that say why something which a person did was not done: they do it again themselves. */
const DEEDS =
  "AddressBar DeleteDialog DraftByAgent EditorDialog EditorSettings FirstStart FormFrame Joined LeaveDialog ListView MetadataDialog NeedCard NotesPart Notices OwnAgentDialog OwnToolDialog RecoverDialog ReportDialog RestoreDialog RulesDialog Saying SentRun SeveralDialog ShareDialog SignInSetting StartView StepDialog StopNowDialog TeamPage TemplatesDialog TrustSettings TryCommand Updates VerbDialog";

describe("every failure that is shown", () => {
  const views = readdirSync(join(UI, "src"), { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".svelte"),
  );

  it("is that of a deed, or can be repeated", () => {
    const without = views.filter((name) => {
      const text = readFileSync(join(UI, "src", name), "utf8");
      return [...text.matchAll(/<FailureNote\b[^]*?\/>/g)].some(([note]) => !note.includes("onretry"));
    });
    expect(without.map((name) => name.replace(/^.*\/|\.svelte$/g, "")).sort()).toEqual(DEEDS.split(" "));
  });
});
