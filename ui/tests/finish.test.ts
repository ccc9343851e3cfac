import { screen, waitFor, within } from "@testing-library/svelte";
import { describe, expect, it } from "vitest";
import type { PullRequestFacts } from "../src/host/bindings";
import { failure } from "../src/host/memory-list";
import { samplePullRequest } from "../src/host/sample-finish";
import { draftedMessage } from "../src/views/loop/finish/text";
import { violations } from "./axe";
import { mountApp, rowOf, sampleHost } from "./mount";
import { choose, click, fill, press, rightClick } from "./person";

const LOOP = "Type the pricing";

async function openFinish(host = sampleHost()) {
  const container = await mountApp(host);
  await rightClick(rowOf(container, LOOP));
  await screen.findByRole("menu");
  if (!screen.queryByTestId("menu-finish")) await click(screen.getByTestId("menu-more"));
  await click(screen.getByRole("menuitem", { name: "Finish…" }));
  const dialog = await screen.findByRole("dialog", { name: /^Finish: Type the pricing/ });
  const button = (name: string | RegExp) => within(dialog).getByRole("button", { name });
  await within(dialog).findByRole("list", { name: "Changed files" });
  return { host, container, dialog, button };
}

const result = (dialog: HTMLElement) => dialog.querySelector(".said-now")!.textContent;

describe("a change that weakens tests", () => {
  it("is named on the loop’s page with its line as text, and opens in its file", async () => {
    const host = sampleHost();
    const path = "src/accounts/sign-in.test.ts";
    const text = 'it.skip("<b>signs in</b>")';
    host.finishing.weakened = {
      found: [{ kind: "test_skipped", path, line: 12, in_before: false, text }],
      is_whole: false,
    };
    const container = await mountApp(host);
    await click(rowOf(container, LOOP));
    const list = await screen.findByTestId("weakened");
    expect(screen.getByRole("heading", { name: /Changes that weaken tests: 1/ })).toBeTruthy();
    expect(list.textContent).toContain("A test is skipped now.");
    expect(list.textContent).toContain(`${path}:12`);
    expect(within(list).getByText(text).innerHTML).toContain("&lt;b&gt;");
    expect(screen.getByText("Not every change could be compared.")).toBeTruthy();
    await click(within(list).getByRole("button", { name: "Show sign-in.test.ts" }));
    const dialog = await screen.findByRole("dialog", { name: /^Finish: Type the pricing/ });
    const shown = await within(dialog).findByRole("button", { name: /sign-in\.test\.ts/ });
    await waitFor(() => expect(shown.getAttribute("aria-current")).toBe("true"));
  });
});

describe("the files of a loop", () => {
  it("are looked at one by one, and marked as viewed in the version that is shown", async () => {
    const { host, dialog, button } = await openFinish();
    expect(dialog.textContent).toContain("This file isn’t text");
    expect(dialog.textContent).not.toContain("Compared with the last commit");
    await click(button(/sign-in\.ts/));
    await waitFor(() =>
      expect(within(dialog).getByTestId("diff-right").textContent).toContain("if (!user) return null;"),
    );
    await click(within(dialog).getByRole("checkbox", { name: "Viewed" }));
    await waitFor(() => expect(host.finishing.asked).toEqual(["viewed src/accounts/sign-in.ts version-1"]));
    await click(within(dialog).getByRole("checkbox", { name: "Only files not viewed yet" }));
    await waitFor(() => expect(within(dialog).queryByRole("button", { name: /sign-in\.ts/ })).toBeNull());
    expect(button(/sign-in\.test\.ts/)).toBeTruthy();
    expect(await violations(dialog)).toEqual([]);
  });

  it("are compared with the last commit, and that is said, when nobody knows where the loop began", async () => {
    const host = sampleHost();
    host.finishing.since = null;
    const { dialog } = await openFinish(host);
    expect(dialog.textContent).toContain("Compared with the last commit");
  });

  it("are those of one iteration, when that is chosen", async () => {
    const { dialog } = await openFinish();
    const names = () =>
      within(within(dialog).getByRole("list", { name: "Changed files" }))
        .getAllByRole("button")
        .map((one) => one.dataset.tip);
    const filter = within(dialog).getByRole("combobox", { name: "Iteration" });
    await choose(filter, "Iteration 2");
    await waitFor(() => expect(names()).toEqual(["src/accounts/sign-in.ts"]));
    await choose(filter, "Iteration 4");
    await waitFor(() => expect(names()).toHaveLength(3));
    await choose(filter, "All iterations");
    expect(await violations(dialog)).toEqual([]);
  });

  it("are restored only when that was confirmed, and that is undone", async () => {
    const { host, dialog, button } = await openFinish();
    await click(button(/sign-in\.ts/));
    await waitFor(() => expect(within(dialog).getByTestId("diff-right")).toBeTruthy());
    await click(button("Restore…"));
    expect(host.finishing.asked).toEqual([]);
    await click(button("Restore"));
    const wanted = { kind: "file", path: "src/accounts/sign-in.ts", fingerprint: "version-1" };
    await waitFor(() => expect(host.finishing.asked).toEqual([`revert ${JSON.stringify(wanted)}`]));
    expect(result(dialog)).toContain("Files restored: 1.");
    await click(button("Undo the restore"));
    await waitFor(() => expect(result(dialog)).toContain("are there again"));
    expect(button(/sign-in\.ts/)).toBeTruthy();
  });

  it("are restored in part, where they are as they were shown, and that is undone", async () => {
    const { host, dialog, button } = await openFinish();
    await click(button(/sign-in\.ts/));
    await waitFor(() => expect(within(dialog).getByTestId("diff-right")).toBeTruthy());
    const text = () => within(dialog).getByTestId("diff-right").textContent;
    const second = () => button("Restore the lines from line 6");
    expect(within(dialog).getAllByRole("button", { name: /^Restore the lines/ })).toHaveLength(2);
    const shown = host.finishing.files;
    host.finishing.files = shown.map(({ row, texts }) => ({
      row,
      texts: { ...texts, fingerprint: "newer" },
    }));
    await click(second());
    const failed = await within(dialog).findByTestId("failure");
    expect(failed.textContent).toContain("Nothing was restored.");
    // What is shown is read again; then the same lines can be restored.
    await click(button("Try again"));
    await waitFor(() => expect(within(dialog).queryByTestId("failure")).toBeNull());
    await click(second());
    const wanted = { before: { first: 4, count: 2 }, after: { first: 5, count: 3 } };
    const asked = { kind: "hunk", path: "src/accounts/sign-in.ts", fingerprint: "newer", ...wanted };
    await waitFor(() => expect(host.finishing.asked.at(-1)).toBe(`revert ${JSON.stringify(asked)}`));
    await waitFor(() => expect(text()).not.toContain("if (!user) return null;"));
    expect(text()).toContain("when the password is theirs");
    expect(document.activeElement).toBe(within(dialog).getByTestId("diff-right"));
    expect(await violations(dialog)).toEqual([]);
    await click(button("Undo the restore"));
    await waitFor(() => expect(text()).toContain("if (!user) return null;"));
  });

  it("with hidden lines are not restored in part", async () => {
    const host = sampleHost();
    host.finishing.files = host.finishing.files.map(({ row, texts }) => ({
      row,
      texts: { ...texts, has_hunks: false },
    }));
    const { dialog, button } = await openFinish(host);
    await click(button(/sign-in\.ts/));
    await waitFor(() => expect(within(dialog).getByTestId("diff-right")).toBeTruthy());
    expect(within(dialog).queryByRole("button", { name: /^Restore the lines/ })).toBeNull();
  });

  it("are drawn as far as they are seen, however many there are", async () => {
    const host = sampleHost();
    const [file] = host.finishing.files;
    const named = (at: number) => `src/file-${String(at).padStart(5, "0")}.bin`;
    host.finishing.files = Array.from({ length: 10_000 }, (_, at) => ({
      row: { ...file!.row, path: named(at) },
      texts: { ...file!.texts },
    }));
    const { dialog } = await openFinish(host);
    const list = within(dialog).getByRole("list", { name: "Changed files" });
    const rows = () => within(list).getAllByRole("listitem").length;
    expect([rows() > 10, rows() < 60]).toEqual([true, true]);
    await press("{End}", within(list).getByRole("button", { current: true }));
    expect(document.activeElement!.textContent).toContain(named(9_999));
    await waitFor(() => expect(dialog.querySelector(".bar")!.textContent).toContain(named(9_999)));
    expect(rows()).toBeLessThan(60);
  });

  it("that can’t be read are read again", async () => {
    const host = sampleHost();
    host.finishing.failNext = failure("no_changes");
    const container = await mountApp(host);
    await rightClick(rowOf(container, LOOP));
    await screen.findByRole("menu");
    if (!screen.queryByTestId("menu-finish")) await click(screen.getByTestId("menu-more"));
    await click(screen.getByTestId("menu-finish"));
    await click(await screen.findByRole("button", { name: "Try again" }));
    await screen.findByRole("list", { name: "Changed files" });
    expect(screen.queryByTestId("failure")).toBeNull();
  });
});

describe("comments", () => {
  it("on a line are kept as text, and given to the loop", async () => {
    const { host, dialog, button } = await openFinish();
    await click(button(/sign-in\.ts/));
    await fill(within(dialog).getByRole("textbox", { name: "Comment" }), "Why <b>trim</b>?");
    await fill(within(dialog).getByRole("spinbutton", { name: "Line (empty: the whole file)" }), "6");
    host.finishing.failNext = failure("untrusted");
    await click(button("Add comment"));
    // What failed keeps what was typed.
    await click(await within(dialog).findByRole("button", { name: "Try again" }));
    await waitFor(() => expect(host.finishing.kept).toHaveLength(1));
    const comments = within(dialog).getByRole("region", { name: /^Comments/ });
    await waitFor(() => expect(comments.textContent).toContain("src/accounts/sign-in.ts, line 6"));
    expect(comments.textContent).toContain("Why <b>trim</b>?");
    await click(button("Give comments to the loop (1)"));
    await waitFor(() => expect(host.finishing.asked.at(-1)).toBe("take up 1"));
    await waitFor(() => expect(comments.textContent).toContain("You · Task of the loop"));
    expect(result(dialog)).toContain("Comments given to the loop: 1.");
    await fill(within(dialog).getByRole("textbox", { name: "Comment" }), "Why not?");
    await click(button("Add comment"));
    host.finishing.waits = true;
    await click(await within(dialog).findByRole("button", { name: "Give comments to the loop (1)" }));
    await waitFor(() => expect(result(dialog)).toContain("Added to the list when the agent ends."));
  });

  it("begin at the number of their line, by pointer and by keyboard", async () => {
    const { host, dialog, button } = await openFinish();
    await click(button(/sign-in\.ts/));
    await waitFor(() => expect(button("Comment on line 4")).toBeTruthy());
    const field = within(dialog).getByRole("textbox", { name: "Comment" });
    const line = within(dialog).getByRole<HTMLInputElement>("spinbutton", { name: /^Line/ });
    await click(button("Comment on line 4"));
    expect([line.value, document.activeElement]).toEqual(["4", field]);
    // One number is a stop of the Tab key, and the arrows go on from there.
    const numbers = within(dialog).getAllByRole("button", { name: /^Comment on line/ });
    expect(numbers.filter(({ tabIndex }) => tabIndex === 0)).toEqual([button("Comment on line 4")]);
    await press("{ArrowDown}{ArrowDown}{ArrowUp}{ArrowDown}{Enter}", button("Comment on line 4"));
    expect([line.value, document.activeElement]).toEqual(["6", field]);
    await fill(field, "Why trim?");
    await click(button("Add comment"));
    await waitFor(() => expect(host.finishing.asked).toEqual(["comment src/accounts/sign-in.ts 6"]));
    await waitFor(() => expect(line.value).toBe(""));
  });

  it("are given one by one, and an answered one leads to its run", async () => {
    const host = sampleHost();
    const about = { path: "src/accounts/sign-in.ts", line: 6 };
    for (const text of ["First", "Second"]) await host.finishing.addComment("", { ...about, text });
    const { dialog, button } = await openFinish(host);
    const comments = within(dialog).getByRole("region", { name: /^Comments/ });
    await click(within(comments).getByRole("checkbox", { name: "First", checked: true }));
    await click(button("Give comments to the loop (1)"));
    await waitFor(() => expect(host.finishing.asked.at(-1)).toBe("take up 2"));
    // What is taken up has no box.
    await waitFor(() => expect(within(comments).getAllByRole("checkbox")).toHaveLength(1));
    expect(within(comments).getByRole("checkbox", { name: "First", checked: false })).toBeTruthy();
    expect((button("Give comments to the loop (0)") as HTMLButtonElement).disabled).toBe(true);
    const answered = { answered_by: "auth-6", answered_in: 4 };
    const line = { line_changed_by: "auth-2", line_changed_in: 2 };
    host.finishing.kept = host.finishing.kept.map((one) => ({
      ...one,
      ...answered,
      ...(one.id === 2 && line),
    }));
    await click(within(dialog).getByRole("checkbox", { name: "Viewed" }));
    await within(comments).findByRole("button", { name: "File changed in iteration 4" });
    expect(await violations(dialog)).toEqual([]);
    await click(within(comments).getByRole("button", { name: "Line changed in iteration 2" }));
    await waitFor(() => expect(screen.queryByTestId("finish-dialog")).toBeNull());
    expect(screen.getByRole("tab", { name: /^Output/, selected: true })).toBeTruthy();
  });
});

describe("the work of a loop", () => {
  it("is committed with a drafted message; then its branch is sent and a pull request is made", async () => {
    const { host, dialog, button } = await openFinish();
    expect(within(dialog).queryByRole("button", { name: "Create pull request" })).toBeNull();
    const message = within(dialog).getByRole<HTMLTextAreaElement>("textbox", { name: "Commit message" });
    expect(message.value).toBe(draftedMessage(host.finishing.state.draft));
    expect(message.value).toContain(
      "- Look users up without case\n\nTests: 42 passed, 0 failed\n\nCloses #7",
    );
    expect(dialog.textContent).toContain("Git hooks that will run: pre-commit");
    await click(button("Commit"));
    await waitFor(() => expect(result(dialog)).toContain("Committed as 5a1e0c9d7b. Files: 3."));
    expect(host.finishing.asked.at(-1)).toMatch(
      /^commit public\/logo.png,\S+sign-in.ts,\S+sign-in.test.ts Implement user sign-in/,
    );

    await click(button("Send loopdeck/sign-in to github.com/ana/storefront…"));
    expect(host.finishing.asked).not.toContain("push");
    await click(button("Send the branch"));
    await waitFor(() => expect(result(dialog)).toContain("loopdeck/sign-in was sent to"));
    const base = within(dialog).getByRole<HTMLInputElement>("textbox", { name: /^Base branch/ });
    expect(base.value).toBe("main");
    await fill(base, " release ");
    await fill(within(dialog).getByRole("textbox", { name: /^Reviewers/ }), "ben, mia");
    await click(button("Create pull request"));
    const asked = "pull request Implement user sign-in into release for ben,mia";
    await waitFor(() => expect(host.finishing.asked.at(-1)).toBe(asked));
    const part = await within(dialog).findByRole("region", { name: "Pull request" });
    await waitFor(() => expect(part.textContent).toContain("Ready for review · Changes requested"));
    expect(part.textContent).toContain("CI / tests · Failed");
    expect(await violations(dialog)).toEqual([]);
    await click(button("Take in checks and reviews"));
    await waitFor(() => expect(result(dialog)).toContain("1 failed checks, 1 reviews"));
    const comments = within(dialog).getByRole("region", { name: /^Comments/ });
    expect(comments.textContent).toContain("Reviewer ben");
    expect(comments.textContent).toContain("Failed check");
  });

  it("is committed without the files that are left out, and then a pull request can be made", async () => {
    const { host, dialog, button } = await openFinish();
    const box = (name: string | RegExp) => within(dialog).getByRole<HTMLInputElement>("checkbox", { name });
    await click(box("src/accounts/sign-in.ts"));
    expect(box("2 of 3").indeterminate).toBe(true);
    // One of the boxes is a stop of the Tab key; the arrow keys go on from there.
    await press("{ArrowUp} ", box("src/accounts/sign-in.ts"));
    expect(document.activeElement).toBe(box("public/logo.png"));
    expect(box("src/accounts/sign-in.test.ts").tabIndex).toBe(-1);
    expect(await violations(dialog)).toEqual([]);
    await click(button("Commit"));
    await waitFor(() =>
      expect(host.finishing.asked.at(-1)).toMatch(/^commit src\/accounts\/sign-in\.test\.ts Implement/),
    );
    expect(await within(dialog).findByRole("button", { name: "Create pull request" })).toBeTruthy();
    expect((button("Commit") as HTMLButtonElement).disabled).toBe(true);
    await click(box("0 of 2"));
    expect(button("Commit")).toBeTruthy();
  });

  it.each([
    [{ outcome: "conflict", files: ["src/a.ts", "src/b.ts"] }, "Both sides changed these files."],
    [{ outcome: "not_committed", files: ["src/a.ts"] }, "Commit these files first."],
    [{ outcome: "in_the_way", files: ["src/a.ts"] }, "aren’t committed in ~/code/storefront"],
  ] as const)("is not merged: %o", async (view, words) => {
    const { host, dialog, button } = await openFinish();
    host.finishing.mergeAs = { ...view, files: [...view.files] };
    await click(button("Merge into main"));
    await waitFor(() => expect(result(dialog)).toContain(words));
    for (const file of view.files) expect(result(dialog)).toContain(file);
  });

  it("is not committed where a hook refuses it, and what the hook said is text", async () => {
    const { host, dialog, button } = await openFinish();
    host.finishing.commitAs = { outcome: "refused_by_hook", said: "lint: <img src=x> 3 errors" };
    await click(button("Commit"));
    await waitFor(() => expect(result(dialog)).toContain("A Git hook refused the commit."));
    expect(result(dialog)).toContain("lint: <img src=x> 3 errors");
    expect(button("Commit")).toBeTruthy();
  });

  it("is put on a branch, merged and kept", async () => {
    const { host, dialog, button } = await openFinish();
    await fill(within(dialog).getByRole("textbox", { name: "New branch" }), "sign-in");
    await click(button("Create branch"));
    await waitFor(() => expect(result(dialog)).toContain("The work is on sign-in."));
    await click(button("Merge into main"));
    await waitFor(() => expect(result(dialog)).toContain("Merged into main. Files: 3."));
    await click(button("Keep as it is"));
    await waitFor(() =>
      expect(within(dialog).getByTestId("finished").textContent).toContain("Kept as it is"),
    );
    expect(host.finishing.asked).toEqual(["branch sign-in", "merge", "keep"]);
  });

  it("is discarded only when that was confirmed, and the way leads back to the list", async () => {
    const { host, dialog, button, container } = await openFinish();
    await click(button("Discard…"));
    const ask = within(dialog).getByRole("group", { name: "Discard the work" });
    expect(ask.textContent).toContain("Files that aren’t committed move to the system trash (4).");
    const cancel = within(ask).getByRole("button", { name: "Cancel" });
    await waitFor(() => expect(document.activeElement).toBe(cancel));
    await click(cancel);
    await waitFor(() => expect(document.activeElement).toBe(button("Discard…")));
    expect(host.finishing.asked).toEqual([]);
    await click(button("Discard…"));
    await click(button("Discard the work"));
    await waitFor(() => expect(host.finishing.asked).toEqual(["discard"]));
    await waitFor(() => expect(screen.queryByTestId("finish-dialog")).toBeNull());
    expect(container.textContent).toContain("Work discarded. Files in the system trash: 4.");
  });

  it("outside of a worktree is neither merged nor discarded", async () => {
    const host = sampleHost();
    host.finishing.state = { ...host.finishing.state, worktree: null };
    const { dialog, button } = await openFinish(host);
    expect(button("Keep as it is")).toBeTruthy();
    expect(within(dialog).queryByRole("button", { name: /^(Merge|Discard)/ })).toBeNull();
  });
});

describe("the pull request of a loop", () => {
  const seen: PullRequestFacts = {
    number: 12,
    state: "open",
    review: "changes_requested",
    passed: 1,
    failed: 2,
    pending: 0,
    seen: Date.now() - 5 * 60_000,
  };

  /** A host whose loop has this pull request, as it was last seen. */
  async function withRequest(facts: PullRequestFacts) {
    const host = sampleHost();
    host.finishing.request = samplePullRequest("Type the pricing", false);
    const looks: boolean[] = [];
    const ask = host.finishing.pullRequest;
    host.finishing.pullRequest = (key, look) => {
      looks.push(look);
      return ask(key, look);
    };
    const container = await mountApp(host);
    const { key } = rowOf(container, LOOP).dataset;
    host.write(key!, { pull_request: facts });
    await waitFor(() => expect(rowOf(container, LOOP).textContent).toContain("#12"));
    return { host, container, looks };
  }

  it("is in its row, is looked at when its page opens, and leads to what is next", async () => {
    const { container, looks } = await withRequest(seen);
    expect(rowOf(container, LOOP).textContent).toContain("checks failed: 2 · Changes requested");
    await click(rowOf(container, LOOP));
    const line = await screen.findByTestId("pull-request");
    await waitFor(() => expect(looks).toEqual([true]));
    expect(line.textContent).toMatch(/#12:\s+Ready for review · checks failed: 2 · Changes requested/);
    expect(await violations(line)).toEqual([]);
    await click(within(line).getByRole("button", { name: "Take in as work…" }));
    const dialog = await screen.findByRole("dialog", { name: /^Finish: Type the pricing/ });
    const takeIn = await within(dialog).findByRole("button", { name: "Take in checks and reviews" });
    await waitFor(() => expect(document.activeElement).toBe(takeIn));
  });

  it("is not looked at again so soon, unless the person says so, and why it failed is said", async () => {
    const { host, container, looks } = await withRequest({ ...seen, state: "merged", seen: Date.now() });
    await click(rowOf(container, LOOP));
    const line = await screen.findByTestId("pull-request");
    expect(line.textContent).toMatch(/#12:\s+Merged\s+· seen/);
    expect(within(line).queryByRole("button", { name: "Take in as work…" })).toBeNull();
    expect(looks).toEqual([]);
    host.finishing.failNext = failure("forge_refused", { program: "gh", reason: "not signed in" });
    await click(within(line).getByRole("button", { name: "Check again" }));
    const told = await screen.findByText(/gh refused: not signed in/);
    expect(looks).toEqual([true]);
    await click(screen.getByRole("button", { name: "Try again" }));
    await waitFor(() => expect(told.isConnected).toBe(false));
    expect(looks).toEqual([true, true]);
  });
});
