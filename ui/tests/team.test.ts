import { screen, waitFor, within } from "@testing-library/svelte";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Failure, TeamView } from "../src/host/bindings";
import { MemoryHost } from "../src/host/memory";
import { failure } from "../src/host/memory-list";
import { sampleTeam } from "../src/host/sample-team";
import { sharesMore, TeamState } from "../src/state/team.svelte";
import { LANGUAGES } from "../src/words/language.svelte";
import { clockTime, moment } from "../src/words/format";
import { answerText } from "../src/words/team-phrases";
import { violations } from "./axe";
import { CATALOGUES } from "./catalogues";
import { mountApp, NOW, sampleHost } from "./mount";
import { click, press } from "./person";
import { pickIn } from "./start-walk";
import { teamHost, withCopy } from "./team-host";

// What happened on another day is said with its day: midnight must not pass during a test.
beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"], now: NOW }));
afterEach(() => void vi.useRealTimers());

async function openPage(host: MemoryHost): Promise<HTMLElement> {
  await mountApp(host);
  await press("gm");
  return screen.findByRole("article", { name: "Team" });
}

const shares = (host: MemoryHost) => host.asked.filter((one) => one.startsWith("share"));
const scopeOf = (folder: string) =>
  screen.getByRole<HTMLSelectElement>("combobox", { name: `What is shared: ${folder}` });
const steeringOf = (folder: string) =>
  screen.getByRole<HTMLSelectElement>("combobox", { name: `Who can control the loops: ${folder}` });
const LOST: Failure = failure("team_unreachable", { address: "tls://a:1", reason: "timed out" });

describe("a machine in no team", () => {
  it("says what a team is for, and joins with an invitation", async () => {
    const host = sampleHost();
    const page = await openPage(host);
    expect(page.textContent).toContain("This machine belongs to no team.");
    expect(within(page).queryByRole("table")).toBeNull();
    expect(screen.queryByTestId("team-connection")).toBeNull();
    await click(within(page).getByRole("button", { name: "Join with an invitation…" }));
    await within(page).findByRole("table", { name: "Machines" });
    expect(host.asked).toContain("join team");
    await waitFor(() =>
      expect(document.activeElement).toBe(within(page).getByRole("heading", { name: "Team" })),
    );
  });

  it("stays in none when the person cancels, and says why an invitation is not taken", async () => {
    const host = sampleHost();
    host.inTeam.invited = false;
    const page = await openPage(host);
    const join = () => within(page).getByRole("button", { name: "Join with an invitation…" });
    await click(join());
    await waitFor(() => expect(host.asked).toContain("join team"));
    expect(within(page).queryByRole("alert")).toBeNull();
    host.failNext = failure("bad_invitation", { path: "a.json", reason: "no JSON" });
    await click(join());
    const note = await within(page).findByRole("alert");
    expect(note.textContent).toContain("This file isn’t an invitation to a team: a.json (no JSON)");
    await click(within(note).getByRole("button", { name: "Dismiss" }));
    await waitFor(() => expect(within(page).queryByRole("alert")).toBeNull());
    join();
  });
});

describe("trying an invitation", () => {
  it("says what works and what it allows, before and after joining", async () => {
    const host = sampleHost();
    const page = await openPage(host);
    await click(within(page).getByRole("button", { name: "Try an invitation…" }));
    const tried = await screen.findByTestId("tried");
    expect(tried.textContent).toContain(
      "nats-server 2.12.1 takes the invitation of desk of ana. Role: Lead.",
    );
    expect(tried.textContent).toContain("The connection is encrypted.");
    expect(tried.textContent).not.toContain("asks only for a token");
    expect(within(tried).getAllByRole("listitem")).toHaveLength(4);
    await click(within(tried).getByRole("button", { name: "Close" }));
    expect(screen.queryByTestId("tried")).toBeNull();
    expect(screen.queryByRole("table")).toBeNull(); // it did not join
    await click(within(page).getByRole("button", { name: "Join with an invitation…" }));
    await within(page).findByRole("table", { name: "Machines" });
    host.inTeam.tried = {
      ...host.inTeam.tried,
      encrypted: false,
      token_only: true,
      role: "viewer",
      can: ["see"],
      until: NOW,
    };
    await click(within(page).getByRole("button", { name: "Try it" }));
    const again = await screen.findByTestId("tried");
    expect(again.textContent).toContain("The connection isn’t encrypted");
    expect(again.textContent).toContain("The server asks only for a token");
    expect(again.textContent).toContain(`The invitation ends ${moment(NOW, NOW)}.`);
    expect(within(again).getAllByRole("listitem")).toHaveLength(1);
  });

  it("says why it is not taken", async () => {
    const host = teamHost({ full: "maximum bytes exceeded" });
    const page = await openPage(host);
    expect(screen.getByTestId("team-full").textContent).toContain("server is full (maximum bytes exceeded");
    host.failNext = failure("team_refused", { reason: "authorization violation" });
    await click(within(page).getByRole("button", { name: "Try it" }));
    const note = await within(page).findByRole("alert");
    expect(note.textContent).toContain("authorization violation");
    expect(screen.queryByTestId("tried")).toBeNull();
  });
});

describe("the page of the team", () => {
  it("shows this machine, the connection and the machines", async () => {
    const page = await openPage(teamHost());
    const facts = screen.getByTestId("this-machine").textContent;
    for (const fact of ["This machine: desk of ana", "Role: Lead", "Server: tls://team.example.net:4222"])
      expect(facts).toContain(fact);
    expect(facts).toContain("Requests not sent yet: 1");
    expect(within(page).getByRole("status").textContent).toContain("Connected");
    const table = within(page).getByRole("table", { name: "Machines" });
    const lines = within(table).getAllByRole("row").slice(1);
    const texts = lines.map((line) => line.textContent!.replace(/\s+/g, " ").trim());
    expect(texts[0]).toContain("laptop of ada Member");
    expect(texts[0]).toContain(`Not reachable since ${moment(NOW - 3 * 3_600_000, NOW)}`);
    expect(texts[0]).toContain("shop");
    expect(texts[1]).toContain("tower of ada Node");
    expect(texts[2]).toContain("desk of ana this machine");
    expect(texts[3]).toMatch(/build-2 of ben Viewer.* Reachable.* Nothing.* 0\.1\.0/);
    expect(screen.getByTestId("answers").textContent).toContain("Pause: done by laptop of ada");
  });

  it("says whose clock is wrong, and nothing of the others", async () => {
    const machines = sampleTeam(NOW).team!.machines.map((machine, at) => ({
      ...machine,
      clock_ahead: [-60, 15][at] ?? null,
    }));
    const page = await openPage(teamHost({ machines }));
    const lines = within(page).getAllByRole("row").slice(1);
    const texts = lines.map((line) => line.textContent!.replace(/\s+/g, " "));
    expect(texts[0]).toContain("Its clock is 60 min behind the server’s.");
    expect(texts[1]).toContain("Its clock is 15 min ahead of the server’s.");
    for (const text of texts.slice(2)) expect(text).not.toContain("clock");
  });

  it("says since when and why there is no connection, and what the server refuses", async () => {
    const since = NOW - 60_000;
    const host = teamHost({
      connection: { kind: "lost", since, failure: LOST },
      refused: "no permission",
      too_large: ["a.log", "b.log"],
    });
    const page = await openPage(host);
    expect(within(page).getByRole("status").textContent).toContain(
      `Not connected since ${moment(since, NOW)}. What you share or ask is sent later.`,
    );
    expect(within(page).getByRole("alert").textContent).toContain(
      "No server of the team answers at tls://a:1",
    );
    expect(screen.getByTestId("team-refused").textContent).toContain(
      "The server doesn’t allow something: no permission",
    );
    expect(screen.getByTestId("too-large").textContent).toContain(
      "Files too large to be shared (2): a.log, b.log",
    );
  });

  it("says that nobody else was seen, and that no folder is open", async () => {
    const host = teamHost();
    const { team } = host.inTeam.page;
    const own = team!.machines.filter(({ seat }) => seat.machine === "desk");
    host.inTeam.page = { team: { ...team!, machines: own, answers: [] }, folders: [], jobs: [] };
    const page = await openPage(host);
    expect(page.textContent).toContain("No other machine has been seen yet.");
    expect(page.textContent).toContain("No folder is open");
    expect(screen.queryByTestId("answers")).toBeNull();
  });

  it("follows what the desktop tells", async () => {
    const host = teamHost();
    const page = await openPage(host);
    host.inTeam.page.team!.connection = { kind: "lost", since: null, failure: null };
    host.push({ kind: "team" });
    await waitFor(() =>
      expect(within(page).getByRole("status").textContent).toContain("Not connected. What you share"),
    );
  });

  it("keeps what it knew when it cannot be read, and tries again", async () => {
    const host = teamHost();
    const page = await openPage(host);
    host.inTeam.failNext = failure("own_data", { reason: "no space" });
    host.push({ kind: "team" });
    const note = await within(page).findByRole("alert");
    expect(note.textContent).toContain("no space");
    within(page).getByRole("table", { name: "Machines" });
    await click(within(note).getByRole("button", { name: "Try again" }));
    await waitFor(() => expect(within(page).queryByRole("alert")).toBeNull());
  });

  it("is reached and left with the keys, and from the palette", async () => {
    const host = teamHost();
    await mountApp(host);
    await press("gm");
    const page = await screen.findByRole("article", { name: "Team" });
    expect(document.activeElement).toBe(within(page).getByRole("heading", { name: "Team" }));
    await click(within(page).getByRole("button", { name: "Back to the list" }));
    await screen.findByRole("grid", { name: "Loops by status" });
    await press("{Control>}k{/Control}");
    await press("Go to the team{Enter}", await screen.findByTestId("palette-input"));
    await screen.findByRole("article", { name: "Team" });
  });

  it.each(LANGUAGES)("is free of what axe finds, in %s, also while it asks", async (id) => {
    const host = teamHost({ connection: { kind: "lost", since: NOW, failure: LOST }, refused: "x" });
    host.settings = { language: id };
    const container = await mountApp(host);
    await click(await screen.findByTestId("nav-team"));
    await screen.findByTestId("team-page");
    await waitFor(() => expect(container.textContent).toContain(CATALOGUES[id].team.folders));
    expect(await violations(container)).toEqual([]);
    await pickIn(screen.getAllByTestId("scope")[1]!, "state");
    await screen.findByTestId("share-dialog");
    expect(await violations(container)).toEqual([]);
  });
});

describe("sharing a folder", () => {
  it("first shows exactly what leaves the machine, and does nothing when it is canceled", async () => {
    const host = teamHost();
    await openPage(host);
    await pickIn(scopeOf("billing-core"), "progress");
    const dialog = await screen.findByRole("dialog", { name: "Share billing-core with the team?" });
    expect(dialog.textContent).toContain("Files that leave this machine: 5, 121.4 kB in all.");
    const names = within(within(dialog).getByRole("list")).getAllByRole("listitem");
    expect(names.map((one) => one.textContent)).toEqual(host.inTeam.page.folders[1]!.progress.names);
    expect(shares(host)).toEqual([]);
    await click(within(dialog).getByRole("button", { name: "Cancel" }));
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    expect(shares(host)).toEqual([]);
    await waitFor(() => expect(scopeOf("billing-core").value).toBe("nothing"));
    expect(steeringOf("billing-core").disabled).toBe(true);
  });

  it("is done when the person agrees, and more is asked for again", async () => {
    const host = teamHost();
    const container = await openPage(host);
    await pickIn(scopeOf("billing-core"), "state");
    await click(within(await screen.findByRole("dialog")).getByRole("button", { name: "Share" }));
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    expect(shares(host)).toEqual(["share /home/ana/code/billing-core state leads"]);
    await waitFor(() => expect(steeringOf("billing-core").disabled).toBe(false));
    expect(container.textContent).toContain("2 files · 34.1 kB");
    await pickIn(scopeOf("billing-core"), "progress");
    const more = await screen.findByRole("dialog", { name: "Share more of billing-core?" });
    expect(shares(host)).toHaveLength(1);
    await click(within(more).getByRole("button", { name: "Share" }));
    await waitFor(() => expect(shares(host).at(-1)).toBe("share /home/ana/code/billing-core progress leads"));
  });

  it("says in words what else leaves the machine when output is chosen", async () => {
    const host = teamHost();
    const container = await openPage(host);
    await pickIn(scopeOf("storefront"), "output");
    const dialog = await screen.findByRole("dialog", { name: "Share more of storefront?" });
    expect(dialog.textContent).toContain("Files that leave this machine: 5");
    expect(within(dialog).getByText(/It can contain source code/)).toBeTruthy();
    await click(within(dialog).getByRole("button", { name: "Share" }));
    await waitFor(() => expect(shares(host)).toEqual(["share /home/ana/code/storefront output leads"]));
    await waitFor(() =>
      expect(container.textContent).toContain("Everything that agents and test commands print"),
    );
    // Less needs no question.
    await pickIn(scopeOf("storefront"), "progress");
    await waitFor(() => expect(shares(host).at(-1)).toBe("share /home/ana/code/storefront progress leads"));
    expect(screen.queryByRole("dialog")).toBeNull();
  });

  it("says that further files are not named", async () => {
    const host = teamHost();
    host.inTeam.page.folders[1]!.state.files = 80;
    await openPage(host);
    await pickIn(scopeOf("billing-core"), "state");
    const dialog = await screen.findByRole("dialog");
    expect(within(dialog).getByText("78 more")).toBeTruthy();
  });

  it("ends without a question: nothing more leaves", async () => {
    const host = teamHost();
    await openPage(host);
    await pickIn(scopeOf("storefront"), "nothing");
    await waitFor(() => expect(shares(host)).toEqual(["share /home/ana/code/storefront nothing leads"]));
    expect(screen.queryByRole("dialog")).toBeNull();
    await waitFor(() => expect(steeringOf("storefront").disabled).toBe(true));
  });

  it("says who can control the loops", async () => {
    const host = teamHost();
    await openPage(host);
    await pickIn(steeringOf("storefront"), "members");
    await waitFor(() => expect(shares(host)).toEqual(["share /home/ana/code/storefront state members"]));
    await waitFor(() => expect(steeringOf("storefront").value).toBe("members"));
  });

  it("that fails says so once, where it was asked for, and shares nothing", async () => {
    const host = teamHost();
    await openPage(host);
    await pickIn(scopeOf("billing-core"), "state");
    const dialog = await screen.findByRole("dialog");
    host.failNext = failure("own_data", { reason: "no space" });
    await click(within(dialog).getByRole("button", { name: "Share" }));
    expect((await within(dialog).findByRole("alert")).textContent).toContain("no space");
    expect(screen.getAllByTestId("failure")).toHaveLength(1);
    await click(within(dialog).getByRole("button", { name: "Cancel" }));
    await waitFor(() => expect(screen.queryByTestId("failure")).toBeNull());
    expect(scopeOf("billing-core").value).toBe("nothing");
    host.failNext = failure("own_data", { reason: "no space" });
    await pickIn(scopeOf("storefront"), "nothing");
    await screen.findByTestId("failure");
    await waitFor(() => expect(scopeOf("storefront").value).toBe("state"));
  });

  it("asks whenever files would leave that do not leave now", () => {
    expect(sharesMore({ scope: null }, "rows")).toBe(true);
    expect(sharesMore({ scope: "rows" }, "state")).toBe(true);
    expect(sharesMore({ scope: "state" }, "rows")).toBe(false);
    expect(sharesMore({ scope: null }, "state")).toBe(true);
    expect(sharesMore({ scope: "state" }, "progress")).toBe(true);
    expect(sharesMore({ scope: "progress" }, "state")).toBe(false);
    expect(sharesMore({ scope: "state" }, "nothing")).toBe(false);
  });
});

describe("leaving the team", () => {
  it("asks first", async () => {
    const host = teamHost();
    const page = await openPage(host);
    const ask = () => click(within(page).getByRole("button", { name: "Leave the team…" }));
    await ask();
    const dialog = await screen.findByRole("dialog", { name: "Leave the team" });
    expect(dialog.textContent).toContain("Copies of other machines’ loops are removed here");
    await click(within(dialog).getByRole("button", { name: "Cancel" }));
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    expect(host.asked).not.toContain("leave team");
    await ask();
    await click(within(await screen.findByRole("dialog")).getByRole("button", { name: "Leave" }));
    await within(page).findByRole("button", { name: "Join with an invitation…" });
    expect(host.asked).toContain("leave team");
    await waitFor(() =>
      expect(document.activeElement).toBe(within(page).getByRole("heading", { name: "Team" })),
    );
  });
});

describe("the sidebar", () => {
  it("tells the connection at all times", async () => {
    const host = teamHost({ connection: { kind: "connecting" } });
    await mountApp(host);
    const entry = await screen.findByTestId("nav-team");
    await waitFor(() => expect(entry.textContent).toContain("connecting…"));
    expect(entry.dataset.tip).toBe("Team: connecting…");
    const tell = async (connection: TeamView["connection"], text: string) => {
      host.inTeam.page.team!.connection = connection;
      host.push({ kind: "team" });
      await waitFor(() => expect(entry.textContent).toContain(text));
    };
    await tell({ kind: "connected", server: "2.12" }, "connected");
    expect(within(entry).getByText("connected").className).toContain("only-heard");
    expect(entry.dataset.tip).toBe("Team: connected");
    await tell({ kind: "lost", since: NOW, failure: null }, "not connected");
    expect(within(entry).getByText("not connected").className).not.toContain("only-heard");
    expect(entry.dataset.tip).toBe(
      `Team: Not connected since ${clockTime(NOW)}. What you share or ask is sent later.`,
    );
  });

  it("does not take a drag for ended when the team changes", async () => {
    const host = teamHost();
    await mountApp(host);
    host.push({ kind: "dragging", over: true });
    const dropping = () => screen.queryByTestId("drop-here");
    await waitFor(() => expect(dropping()).not.toBeNull());
    const { reads } = host.inTeam;
    host.push({ kind: "team" });
    await waitFor(() => expect(host.inTeam.reads).toBe(reads + 1));
    expect(dropping()).not.toBeNull();
  });

  it("shows whose folder a copy is of, and since when its machine is gone", async () => {
    const since = NOW - 30 * 24 * 3_600_000;
    await mountApp(withCopy(teamHost(), since));
    const folder = (await screen.findAllByTestId("workspace")).find((one) =>
      one.dataset.name?.includes("ada"),
    )!;
    expect(folder.textContent).toContain("shop · ada · laptop");
    expect(folder.textContent).toContain(`Not reachable since ${moment(since, NOW)}`);
    expect(folder.dataset.tip).toContain("This folder is on laptop of ada.");
    expect(folder.dataset.tip).toContain("hasn’t been reachable since");
    const own = screen.getAllByTestId("workspace")[0]!;
    expect(own.textContent).not.toContain("not reachable");
    expect(own.querySelector("path")?.getAttribute("d")).not.toBe(
      folder.querySelector("path")?.getAttribute("d"),
    );
  });

  it("offers of a copy only to show its loops", async () => {
    await mountApp(withCopy(teamHost()));
    const items = async (name: string) => {
      await click(screen.getByRole("button", { name: `Actions for ${name}` }));
      await screen.findByRole("menu");
      const found = screen.getAllByRole("menuitem").map((one) => one.textContent!.trim());
      await press("{Escape}");
      return found;
    };
    expect(await items("shop · ada · laptop")).toEqual(["Show only shop · ada · laptop"]);
    expect(await items("storefront")).toContain("Remove from list");
  });
});

describe("reading the team", () => {
  it("never runs twice at the same time, and once more for what was asked meanwhile", async () => {
    const host = teamHost();
    const waiting: (() => void)[] = [];
    const read = vi
      .spyOn(host, "team")
      .mockImplementation(() => new Promise((resolve) => waiting.push(() => resolve(host.inTeam.page))));
    const team = new TeamState(host);
    const loads = Promise.all([team.read(), team.read(), team.read()]);
    expect(read).toHaveBeenCalledTimes(1);
    waiting[0]!();
    await waitFor(() => expect(read).toHaveBeenCalledTimes(2));
    waiting[1]!();
    await loads;
    expect(read).toHaveBeenCalledTimes(2);
    expect(team.page).toEqual(host.inTeam.page);
  });
});

describe("the words", () => {
  it("say why another machine did not do what was asked", () => {
    const answer = { ...sampleTeam(NOW).team!.answers[0]! };
    expect(answerText({ ...answer, refused: "not_allowed" })).toBe(
      "Pause: not done by laptop of ada. Its owner doesn’t allow it.",
    );
    expect(answerText({ ...answer, verb: "redirect" })).toBe("Change direction: done by laptop of ada");
    expect(answerText({ ...answer, refused: "own_data" })).toContain("Reason: own_data");
  });

  it("name the day of a time that is not today", () => {
    expect(moment(NOW, NOW)).toBe(clockTime(NOW));
    expect(moment(NOW - 48 * 3_600_000, NOW)).toBe(moment(NOW - 48 * 3_600_000, NOW));
    expect(moment(Number.NaN, NOW)).toBe("–");
  });
});
