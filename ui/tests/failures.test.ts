import { render, screen, waitFor, within } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { describe, expect, it, vi } from "vitest";
import { failure } from "../src/host/memory-list";
import { MemoryHost } from "../src/host/memory";
import { debugSection } from "../src/host/sample-board";
import { t } from "../src/words/language.svelte";
import { checksOf } from "../src/views/agents/start-checks";
import BoardStage from "./BoardStage.svelte";
import { keyOf, mountApp, needyHost, sampleHost } from "./mount";
import { startHost } from "./start-walk";

const LOST = failure("own_data", { reason: "the disk is gone" });
const lost = () => Promise.reject(LOST);
const alert = (within_: HTMLElement = document.body) =>
  within(within_)
    .queryAllByRole("alert")
    .filter((one) => one.textContent?.includes("the disk is gone"));
const user = () => userEvent.setup({ delay: null });

describe("a search", () => {
  async function searched(host: MemoryHost): Promise<string> {
    host.open = keyOf(host, "Implement user");
    await mountApp(host);
    await user().click(await screen.findByRole("tab", { name: /Files/ }));
    await user().click(await screen.findByTestId("state-file"));
    const source = host.source.bind(host);
    let whole = false;
    host.source = (key, first, count) =>
      whole ? lost() : source(key, first, count).then((page) => ((page.total = page.lines.length), page));
    whole = true;
    await user().keyboard("{Control>}f{/Control}");
    await user().type(await screen.findByRole("textbox", { name: t.reader.find }), "status");
    await waitFor(() => expect(screen.getByTestId("found").textContent).not.toBe(""));
    return screen.getByTestId("found").textContent!;
  }

  it("that failed is not “Not found”", async () => {
    expect(await searched(sampleHost())).toBe(t.output.searchFailed);
  });
});

describe("a list that could not be read", () => {
  it("of failing tests is not “none”", async () => {
    const host = sampleHost();
    const row = host.rows().find((one) => one.title.startsWith("Implement user"))!;
    const { detail } = await host.openLoop(row.key);
    host.tests = lost;
    render(BoardStage, { props: { host, row, debug: debugSection(row), detail, item: "H2" } });
    const related = await screen.findByRole("region", { name: "Same file elsewhere" });
    await waitFor(() => expect(alert(related)).toHaveLength(1));
    const failing = within(related).getByRole("heading", { name: "Failing tests" }).closest(".group")!;
    expect(failing.textContent).not.toContain(t.common.none);
  });

  it("of events is not “nothing happened yet”", async () => {
    const host = sampleHost();
    host.timeline = lost;
    host.open = keyOf(host, "Implement user");
    await mountApp(host);
    await user().click(await screen.findByRole("tab", { name: /Activity/ }));
    await waitFor(() => expect(alert()).toHaveLength(1));
    expect(screen.queryByTestId("timeline-empty")).toBeNull();
  });

  it("of templates is not “none”, and can be asked for again", async () => {
    const host = startHost();
    const templates = host.runs.templates.bind(host.runs);
    host.runs.templates = lost;
    await mountApp(host);
    await user().click(screen.getByRole("button", { name: t.shortcuts.names.start }));
    await user().click(await screen.findByRole("button", { name: "Templates" }));
    const dialog = await screen.findByRole("dialog", { name: "Templates" });
    await waitFor(() => expect(alert(dialog)).toHaveLength(1));
    expect(dialog.textContent).not.toContain(t.start.templatesNone);
    host.runs.templates = templates;
    await user().click(within(dialog).getByRole("button", { name: t.common.tryAgain, hidden: true }));
    await waitFor(() => expect(dialog.textContent).toContain(t.start.templatesNone));
  });

  it("of what needs the person is not “nothing”", async () => {
    const host = needyHost();
    host.runs.needs = lost;
    await mountApp(host);
    await user().click(screen.getByRole("button", { name: /^Needs you \d+$/ }));
    const drawer = await screen.findByTestId("needs-drawer");
    await waitFor(() => expect(alert(drawer)).toHaveLength(1));
    expect(screen.queryByTestId("needs-none")).toBeNull();
  });

  it("of trusted folders is not “none”", async () => {
    const host = sampleHost();
    host.runs.trusted = lost;
    await mountApp(host);
    await user().keyboard("{Control>},{/Control}");
    const dialog = await screen.findByRole("dialog", { name: "Settings" });
    await waitFor(() => expect(alert(dialog)).toHaveLength(1));
    expect(screen.queryByTestId("trusted-none")).toBeNull();
  });

  it("of the versions of a document is said below the files", async () => {
    const host = sampleHost();
    host.documentHistory = lost;
    host.open = keyOf(host, "Implement user");
    await mountApp(host);
    await user().click(await screen.findByRole("tab", { name: /Files/ }));
    await user().click(await screen.findByTestId("doc-debug.md"));
    const panel = await screen.findByTestId("panel-files");
    await waitFor(() => expect(alert(panel)).toHaveLength(1));
    expect(panel.textContent).toContain("the disk is gone");
  });

  it("of results of the checks is not “never run”", async () => {
    const host = sampleHost();
    host.runs.verifications = lost;
    host.open = host.rows().find((row) => row.format === "aot" && row.word !== "cannot_read")!.key;
    await mountApp(host);
    const panel = await screen.findByRole("tabpanel", { name: "Overview" });
    await waitFor(() => expect(alert(panel)).toHaveLength(1));
  });
});

describe("a fact that cannot be had", () => {
  it("is not being looked for any more: agents", () => {
    expect(checksOf(null, null, 1)[0]!.text).toBe(t.agents.looking);
    expect(checksOf(null, null, 1, { agents: LOST })[0]!.text).toContain("the disk is gone");
  });

  it("is not promised for later: the branch of a folder", async () => {
    expect(checksOf([], null, 1, { git: LOST })[1]!.text).toContain("the disk is gone");
  });

  it("is no endless “…”: how the tests changed", async () => {
    const host = sampleHost();
    host.tests = lost;
    host.open = keyOf(host, "Implement user");
    await mountApp(host);
    await user().click(await screen.findByRole("tab", { name: /Tests/ }));
    await screen.findByText(t.tests.notCompared);
  });
});

describe("a launch", () => {
  async function launching(host: MemoryHost): Promise<HTMLElement> {
    const { folder } = await host.runs.formOf(keyOf(host, "Type the pricing"));
    await host.runs.trust(folder, true);
    host.open = keyOf(host, "Type the pricing");
    await mountApp(host);
    await screen.findByRole("tabpanel", { name: "Overview" });
    await user().click(screen.getByTestId("verb-resume"));
    return screen.findByRole("region", { name: "Resume: Type the pricing rules" });
  }

  it("takes back its warnings when the plan they were about has changed and cannot be looked at", async () => {
    const host = startHost();
    host.runs.launchNotes = ["goes_on"];
    const dialog = await launching(host);
    await within(dialog).findByTestId("launch-notes");
    const review = vi.fn(lost);
    host.runs.reviewLaunch = review;
    // Elsewhere than Resume was clicked a moment ago.
    const coords = { clientX: 400, clientY: 300 };
    const target = within(dialog).getByTestId("level-edit_files");
    await user().pointer([{ target, coords }, "[MouseLeft]"]);
    await waitFor(() => expect(review).toHaveBeenCalled());
    await waitFor(() => expect(alert(dialog)).toHaveLength(1));
    expect(within(dialog).queryByTestId("launch-notes")).toBeNull();
  });

  it("says that agents could not be looked for, not that there are none", async () => {
    const host = startHost();
    host.runs.agents = lost;
    const dialog = await launching(host);
    await waitFor(() => expect(alert(dialog)).toHaveLength(1));
    expect(within(dialog).queryByText("Loading…")).toBeNull();
  });
});
