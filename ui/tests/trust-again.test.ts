import { screen, waitFor, within } from "@testing-library/svelte";
import { describe, expect, it } from "vitest";
import type { Need } from "../src/host/bindings";
import type { MemoryHost } from "../src/host/memory";
import { failure } from "../src/host/memory-list";
import { sampleJob } from "../src/host/sample-jobs";
import { sampleNeeds } from "../src/host/sample-needs";
import { sampleTeam } from "../src/host/sample-team";
import { askingHost, TrustAgain } from "../src/state/trust-again.svelte";
import { headline } from "../src/words/need-phrases";
import { violations } from "./axe";
import { NOW, mountApp, needyHost, sampleHost } from "./mount";
import { click, press } from "./person";

const FOLDER = "~/code/storefront";
const changed = (what = "core.sshcommand") => failure("repository_changed", { path: FOLDER, what });
const trusts = (host: MemoryHost) => host.runs.asked.filter((one) => one.startsWith("trust "));
const dialog = () => screen.findByTestId("trust-again-dialog");
const gone = () => waitFor(() => expect(screen.queryByTestId("trust-again-dialog")).toBeNull());

/** Asks for the result of a run, for which git is asked; the repository changed. */
async function taken(what?: string): Promise<MemoryHost> {
  const host = needyHost();
  const jobs = [sampleJob("a", NOW, { stage: "ended", word: "completed", has_result: true })];
  host.inTeam.page = { ...sampleTeam(NOW), jobs };
  await mountApp(host);
  await click(screen.getByRole("button", { name: /^Team/ }));
  await screen.findByRole("article", { name: "Team" });
  host.failNext = changed(what);
  await click(screen.getByRole("button", { name: /^Create a branch from the result/ }));
  return host;
}

describe("a repository that changed since its folder was trusted", () => {
  it("is asked about, and what was asked for is done once it is trusted as it is", async () => {
    const host = await taken();
    const asked = await dialog();
    within(asked).getByText(
      `${FOLDER}: core.sshcommand has changed since you trusted the folder, so git wasn’t asked.`,
    );
    expect(await violations(asked)).toEqual([]);
    expect(trusts(host)).toEqual([]);
    await click(within(asked).getByRole("button", { name: "Trust it as it is now" }));
    await gone();
    await screen.findByText(/^Made the branch/);
    expect(trusts(host)).toEqual([`trust ${FOLDER} true`]);
    expect(host.asked.filter((one) => one === "take in a")).toHaveLength(2);
  });

  it.each(["Cancel", "Escape"])("stays as it is after %s, and says what is wrong", async (how) => {
    const host = await taken();
    const asked = await dialog();
    if (how === "Escape") await press("{Escape}", asked);
    else await click(within(asked).getByRole("button", { name: "Cancel" }));
    await gone();
    const note = await screen.findByTestId("failure");
    expect(note.textContent).toContain("core.sshcommand has changed");
    expect(trusts(host)).toEqual([]);
    expect(host.asked.filter((one) => one === "take in a")).toHaveLength(1);
  });

  it("names what changed as text, whatever that is", async () => {
    await taken('<img src="x" onerror="alert(1)">{path}');
    const asked = await dialog();
    expect(asked.querySelector("img")).toBeNull();
    expect(asked.textContent).toContain('<img src="x" onerror="alert(1)">{path} has changed');
  });

  it("is asked about before a loop that failed because of it goes on", async () => {
    const host = sampleHost();
    const sample = sampleNeeds(host.rows(), NOW).find((one) => one.kind === "failed")!;
    const need: Need = {
      ...sample,
      args: { code: "repository_changed" },
      folder: FOLDER,
      text: ".git",
      answers: ["resume", "dismiss"],
    };
    expect(headline(need)).toContain(`${FOLDER}: .git has changed`);
    host.runs.setNeeds([need]);
    await mountApp(host);
    host.push({ kind: "waiting" });
    const again = async () => click(await screen.findByTestId("answer-resume"));
    const answers = () => host.runs.asked.filter((one) => one.startsWith("answer "));
    await again();
    await click(within(await dialog()).getByRole("button", { name: "Cancel" }));
    await gone();
    expect([trusts(host), answers()]).toEqual([[], []]);
    await again();
    await click(within(await dialog()).getByRole("button", { name: "Trust it as it is now" }));
    await waitFor(() => expect(answers()).toHaveLength(1));
    expect(trusts(host)).toEqual([`trust ${FOLDER} true`]);
  });
});

describe("the host that asks", () => {
  function stage(): [MemoryHost, TrustAgain, ReturnType<typeof askingHost>] {
    const host = sampleHost();
    const again = new TrustAgain();
    return [host, again, askingHost(host, again)];
  }

  it("asks for starts too, and only about this", async () => {
    const [host, again, asking] = stage();
    const { key } = host.rows()[0]!;
    host.runs.failNextLaunch = failure("no_plan");
    await expect(asking.runs.launch(key, null, null)).rejects.toMatchObject({ kind: "no_plan" });
    host.runs.failNextLaunch = changed();
    const launched = asking.runs.launch(key, await asking.runs.planOf(key), null);
    await waitFor(() => expect(again.asked).toEqual(changed()));
    again.answer(true);
    await launched;
    expect(trusts(host)).toEqual([`trust ${FOLDER} true`]);
  });

  it("asks once: what changed again meanwhile fails", async () => {
    const [host, again, asking] = stage();
    host.inTeam.page = sampleTeam(NOW);
    host.failNext = changed();
    const taken = asking.takeInRun("a");
    await waitFor(() => expect(again.asked).not.toBeNull());
    host.failNext = changed(".git");
    again.answer(true);
    await expect(taken).rejects.toMatchObject({ args: { what: ".git" } });
    expect(again.asked).toBeNull();
  });

  it("asks the same thing once for all who wait, and one after the other", async () => {
    const again = new TrustAgain();
    const answers = [changed(), changed(), changed(".git")].map((one) => again.ask(one));
    expect(again.asked).toEqual(changed());
    again.answer(true);
    expect(again.asked).toEqual(changed(".git"));
    again.answer(false);
    expect(again.asked).toBeNull();
    expect(await Promise.all(answers)).toEqual([true, true, false]);
  });
});
