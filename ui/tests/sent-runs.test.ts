import { screen, waitFor, within } from "@testing-library/svelte";
import { describe, expect, it, vi } from "vitest";
import type { JobView, TeamView } from "../src/host/bindings";
import type { MemoryHost } from "../src/host/memory";
import { SAMPLE_WORKSPACES } from "../src/host/memory";
import { failure } from "../src/host/memory-list";
import { manyJobs, sampleJob, sampleJobs } from "../src/host/sample-jobs";
import { sampleCopy, sampleCopyRows, sampleTeam } from "../src/host/sample-team";
import { moment } from "../src/words/format";
import { offerText, runSign, runText, targetText } from "../src/words/run-phrases";
import { violations } from "./axe";
import { NOW, needyHost, mountApp } from "./mount";
import { click } from "./person";

const TOWER = { member: "ada", machine: "tower" };
const TITLE = sampleJob("x", NOW).title;

function jobsHost(jobs: JobView[], patch: Partial<TeamView> = {}): MemoryHost {
  const host = needyHost();
  const page = sampleTeam(NOW);
  host.inTeam.page = { ...page, team: { ...page.team!, ...patch }, jobs };
  return host;
}

async function openTeam(host: MemoryHost): Promise<HTMLElement> {
  await mountApp(host);
  await click(screen.getByRole("button", { name: /^Team/ }));
  return screen.findByRole("article", { name: "Team" });
}

const runs = () => screen.queryAllByTestId("sent-run");
const buttonsOf = (run: HTMLElement) =>
  within(run)
    .queryAllByRole("button")
    .map((one) => one.textContent!.trim())
    .filter((text) => text !== "");

describe("runs on other machines", () => {
  it("are listed with title, folder, machine and status", async () => {
    const page = await openTeam(jobsHost(sampleJobs(NOW)));
    const texts = runs().map((one) => one.textContent!.replace(/\s+/g, " "));
    const since = moment(NOW - 24 * 60_000, NOW);
    expect(texts[0]).toMatch(/^ ?Add a CSV export to the orders page/);
    expect(texts[0]).toContain(`Running on tower of ada since ${since}`);
    expect(texts[0]).toContain("~/code/storefront");
    await waitFor(() => expect(runs()[0]!.textContent).toContain("To any machine with Codex"));
    expect(texts[1]).toContain("Completed on tower of ada");
    expect(texts[1]).toContain("Its commits are here.");
    expect(texts[2]).toContain("Refused: a command isn’t allowed there.");
    expect(texts[2]).toContain("To tower of ada");
    expect(await violations(page)).toEqual([]);
  });

  it.each<[Partial<JobView>, string[]]>([
    [{ stage: "waiting" }, ["Withdraw"]],
    [{ stage: "queued" }, ["Withdraw"]],
    [{ stage: "running", seat: TOWER }, []],
    [{ stage: "running", seat: TOWER, key: "c1:a.json" }, ["Open loop"]],
    [
      { stage: "ended", word: "completed", has_result: true },
      ["Create a branch from the result", "Remove from list"],
    ],
    [{ stage: "ended", word: "completed", branch: "loopdeck/x" }, ["Remove from list"]],
    [{ stage: "refused", why: "memory" }, ["Remove from list"]],
    [{ stage: "interrupted" }, ["Remove from list"]],
    [{ stage: "withdrawn" }, ["Remove from list"]],
  ])("offer what can be done with %o", async (patch, buttons) => {
    await openTeam(jobsHost([sampleJob("a", NOW, patch)]));
    expect(buttonsOf(runs()[0]!)).toEqual(buttons);
  });

  it("say which machines left one to others, and why", async () => {
    const passed = [{ seat: TOWER, why: "untrusted" }];
    await openTeam(jobsHost([sampleJob("a", NOW, { passed })]));
    const text = within(runs()[0]!).getByTestId("run-passed").textContent;
    expect(text).toBe("tower of ada couldn’t run it: the folder isn’t trusted there.");
  });

  it("say where to begin when there is none, and only to those who may send", async () => {
    await openTeam(jobsHost([]));
    expect(screen.getByTestId("no-runs").textContent).toContain("choose a machine under “Work”");
  });

  it("are nothing for a viewer", async () => {
    const page = await openTeam(jobsHost([], { role: "viewer" }));
    expect(within(page).queryByText("Runs on other machines")).toBeNull();
  });

  it("lead to their loop", async () => {
    const [row] = sampleCopyRows(NOW);
    const host = jobsHost([sampleJob("a", NOW, { stage: "running", seat: TOWER, key: row!.key })]);
    host.fill(sampleCopyRows(NOW), [...SAMPLE_WORKSPACES, sampleCopy(null)]);
    await openTeam(host);
    await click(screen.getByRole("button", { name: `Open loop: ${TITLE}` }));
    await screen.findByRole("tabpanel", { name: "Overview" });
    expect(screen.getByTestId("away").textContent).toContain("ada · laptop");
  });

  it("become a branch, whose name can be copied", async () => {
    const host = jobsHost([sampleJob("a", NOW, { stage: "ended", word: "completed", has_result: true })]);
    await openTeam(host);
    await click(screen.getByRole("button", { name: `Create a branch from the result: ${TITLE}` }));
    await waitFor(() => expect(runs()[0]!.textContent).toContain("loopdeck/loop-v2-a"));
    expect(host.asked).toContain("take in a");
    await screen.findByText("Made the branch loopdeck/loop-v2-a. Nothing is checked out.");
    expect(buttonsOf(runs()[0]!)).toEqual(["Remove from list"]);
    await click(screen.getByRole("button", { name: "Copy the name of the branch" }));
    expect(await navigator.clipboard.readText()).toBe("loopdeck/loop-v2-a");
  });

  it("say in their row why something did not work", async () => {
    const jobs = ["a", "b"].map((id) =>
      sampleJob(id, NOW, { title: `Run ${id}`, stage: "ended", has_result: true }),
    );
    const host = jobsHost(jobs);
    await openTeam(host);
    host.failNext = failure("git_refused", { reason: "the branch exists" });
    await click(screen.getByRole("button", { name: "Create a branch from the result: Run b" }));
    const [first, second] = runs();
    const note = await within(second!).findByRole("alert");
    expect(note.textContent).toContain("Git refused: the branch exists");
    expect(within(first!).queryByRole("alert")).toBeNull();
    await click(within(note).getByRole("button", { name: "Dismiss" }));
    await waitFor(() => expect(screen.queryByTestId("failure")).toBeNull());
  });

  it("can be withdrawn before a machine takes them", async () => {
    const host = jobsHost([sampleJob("a", NOW)]);
    await openTeam(host);
    await click(screen.getByRole("button", { name: `Withdraw: ${TITLE}` }));
    await screen.findByText(/^Withdrawn/);
    expect(host.asked).toContain("withdraw a");
  });

  it("leave the list when they are over; the focus continues at the next one", async () => {
    const jobs = ["a", "b"].map((id) => sampleJob(id, NOW, { title: `Run ${id}`, stage: "withdrawn" }));
    const host = jobsHost(jobs);
    await openTeam(host);
    await click(screen.getByRole("button", { name: "Remove from list: Run a" }));
    await waitFor(() => expect(runs()).toHaveLength(1));
    expect(host.asked).toContain("forget a");
    expect(document.activeElement).toBe(screen.getByRole("button", { name: "Remove from list: Run b" }));
    await click(screen.getByRole("button", { name: "Remove from list: Run b" }));
    await screen.findByTestId("no-runs");
  });

  it("are asked about before they leave with a result that nobody took in", async () => {
    const host = jobsHost([sampleJob("a", NOW, { stage: "ended", has_result: true })]);
    await openTeam(host);
    const remove = () => click(screen.getByRole("button", { name: `Remove from list: ${TITLE}` }));
    await remove();
    const dialog = await screen.findByRole("dialog", { name: "Remove it with its result?" });
    expect(dialog.textContent).toContain("Its commits aren’t in your repository yet.");
    expect(await violations(dialog)).toEqual([]);
    await click(within(dialog).getByRole("button", { name: "Keep" }));
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    expect(host.asked).not.toContain("forget a");
    await remove();
    const again = await screen.findByRole("dialog");
    await click(within(again).getByRole("button", { name: "Remove" }));
    await waitFor(() => expect(runs()).toHaveLength(0));
    expect(host.asked).toContain("forget a");
    expect(screen.queryByRole("dialog")).toBeNull();
  });

  it("show ten of many, those under way and those with a result first", async () => {
    await openTeam(jobsHost(manyJobs(200, NOW)));
    expect(runs()).toHaveLength(10);
    expect(runs().every((one) => ["waiting", "queued", "running"].includes(one.dataset.stage!))).toBe(true);
    expect(screen.getByText(/10 of 200 shown/)).toBeTruthy();
    await click(screen.getByRole("button", { name: "Show all" }));
    expect(runs()).toHaveLength(200);
    const over = runs().findIndex((one) => one.dataset.stage === "ended");
    expect(
      runs()
        .slice(over)
        .some((one) => one.dataset.stage === "running"),
    ).toBe(false);
    expect(runs()[over]!.textContent).toMatch(/Its commits are (here|on their way)/);
  });

  it("do one thing at a time", async () => {
    const host = jobsHost([sampleJob("a", NOW)]);
    await openTeam(host);
    let done: (answer: null) => void = () => undefined;
    const withdraw = vi
      .spyOn(host, "withdrawRun")
      .mockImplementation(() => new Promise((resolve) => (done = resolve)));
    const button = screen.getByRole("button", { name: `Withdraw: ${TITLE}` });
    await click(button);
    await click(button);
    expect(withdraw).toHaveBeenCalledTimes(1);
    done(null);
    await waitFor(() => expect(button.getAttribute("aria-disabled")).toBe("false"));
  });
});

describe("what a node offers", () => {
  it("is in its row, folded", async () => {
    const page = await openTeam(jobsHost([]));
    const table = within(page).getByRole("table", { name: "Machines" });
    const offers = within(table).getAllByTestId("node-offer");
    expect(offers).toHaveLength(1);
    const [offer] = offers as [HTMLDetailsElement];
    expect(offer.open).toBe(false);
    const summary = within(offer).getByText("Runs loops of others: 1 of 4 slots in use · 64 GB");
    await click(summary);
    await waitFor(() => expect(offer.textContent).toContain("Claude Code, Codex"));
    const text = offer.textContent!.replace(/\s+/g, " ");
    expect(text).toContain("Claude Code, Codex · at most “Edit files” · from ana, ben.build-2");
    expect(text).toContain("npm test");
    expect(text).toContain("Codex · at most “Edit files” · only from machines of ada");
    expect(await violations(page)).toEqual([]);
  });

  it("is nothing yet before its owner allows a repository", async () => {
    const host = jobsHost([]);
    const node = host.inTeam.page.team!.machines.find(({ role }) => role === "node")!;
    node.offer = {};
    await openTeam(host);
    expect(screen.getByTestId("node-offer").textContent).toContain("No repository is allowed yet.");
    expect(offerText({})).toBe("0 of 0 slots in use");
  });
});

describe("the words of a run", () => {
  const at = NOW - 60_000;
  const time = moment(at, NOW);
  const gone = { stage: "running", seat: TOWER, gone_since: at } as const;
  const onTower = { kind: "machine", seat: TOWER } as const;

  it.each<[Partial<JobView>, string]>([
    [{ stage: "waiting" }, "Waiting for a connection"],
    [{ stage: "queued" }, "Waiting for a machine"],
    [{ stage: "queued", target: onTower }, "Waiting for tower of ada"],
    [{ stage: "running", seat: TOWER, since: at }, `Running on tower of ada since ${time}`],
    [{ stage: "running", since: at }, `Running since ${time}`],
    [gone, `tower of ada is gone since ${time}. Another machine continues.`],
    [
      { ...gone, if_gone: "interrupt" },
      `tower of ada is gone since ${time}. If it stays away, the run is interrupted.`,
    ],
    [
      { ...gone, target: onTower },
      `tower of ada is gone since ${time}. If it stays away, the run is interrupted.`,
    ],
    [{ stage: "ended" }, "Ended"],
    [{ stage: "ended", seat: TOWER, word: "failed" }, "Failed on tower of ada"],
    [{ stage: "ended", word: "limit_reached" }, "Limit reached"],
    [{ stage: "ended", word: "toString" }, "Unknown “toString”"],
    [{ stage: "refused", seat: TOWER, why: "level" }, "Refused: the agent may not do that much there."],
    [{ stage: "refused", seat: TOWER, why: "no_git" }, "tower of ada couldn’t run it: no_git"],
    [{ stage: "refused", seat: TOWER, why: "git_refused" }, "tower of ada couldn’t run it: git_refused"],
    [
      { stage: "refused", seat: TOWER, why: "git_refused", reason: "fatal: bad object {path}" },
      "tower of ada couldn’t run it: Git refused: fatal: bad object {path}",
    ],
    [
      { stage: "refused", seat: TOWER, why: "run_too_large" },
      "tower of ada couldn’t run it: The run is too large to be sent.",
    ],
    [{ stage: "interrupted" }, "Interrupted: its machine is gone"],
    [{ stage: "interrupted", seat: TOWER, since: at }, `Interrupted: tower of ada is gone since ${time}`],
    [{ stage: "withdrawn" }, "Withdrawn"],
  ])("of %o", (patch, text) => {
    expect(runText(sampleJob("a", NOW, patch), NOW)).toBe(text);
  });

  it("go with a shape that says the same", () => {
    const sign = (patch: Partial<JobView>) => runSign(sampleJob("a", NOW, patch)).join(" ");
    expect(sign({ stage: "running", seat: TOWER })).toBe("circle active");
    expect(sign(gone)).toBe("broken attention");
    expect(sign({ stage: "ended", word: "failed" })).toBe("cross danger");
    expect(sign({ stage: "ended", word: "strange" })).toBe("question attention");
    expect(sign({ stage: "refused" })).toBe("octagon attention");
  });

  it("name where it was sent", () => {
    expect(targetText(onTower, "Codex")).toBe("To tower of ada");
    expect(targetText({ kind: "any", memory_gb: 0 }, "Codex")).toBe("To any machine with Codex");
    expect(targetText({ kind: "any", memory_gb: 8 }, "Codex")).toBe("To any machine with Codex · 8 GB");
  });
});
