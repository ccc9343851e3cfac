import { screen, waitFor, within } from "@testing-library/svelte";
import { describe, expect, it } from "vitest";
import { failure } from "../src/host/memory-list";
import { draftedMessage } from "../src/views/loop/finish/text";
import { violations } from "./axe";
import { mountApp, rowOf, sampleHost } from "./mount";
import { click, fill, rightClick } from "./person";

const LOOP = "Type the pricing";

async function openFinish(host = sampleHost()) {
  const container = await mountApp(host);
  await rightClick(rowOf(container, LOOP));
  await screen.findByRole("menu");
  if (!screen.queryByTestId("menu-finish")) await click(screen.getByTestId("menu-more"));
  await click(screen.getByRole("menuitem", { name: "Finish…" }));
  const dialog = await screen.findByRole("dialog", { name: /^Finish “Type the pricing/ });
  const button = (name: string | RegExp) => within(dialog).getByRole("button", { name });
  await within(dialog).findByRole("list", { name: "Changed files" });
  return { host, container, dialog, button };
}

const result = (dialog: HTMLElement) => dialog.querySelector(".said-now")!.textContent;

describe("the files of a loop", () => {
  it("are looked at one by one, and marked as viewed in the version that is shown", async () => {
    const { host, dialog, button } = await openFinish();
    expect(dialog.textContent).toContain("This file isn’t text");
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

  it("are restored only when that was confirmed, and that is undone", async () => {
    const { host, dialog, button } = await openFinish();
    await click(button(/sign-in\.ts/));
    await waitFor(() => expect(within(dialog).getByTestId("diff-right")).toBeTruthy());
    await click(button("Restore…"));
    expect(host.finishing.asked).toEqual([]);
    await click(button("Restore"));
    const wanted = { kind: "file", path: "src/accounts/sign-in.ts", fingerprint: "version-1" };
    await waitFor(() => expect(host.finishing.asked).toEqual([`revert ${JSON.stringify(wanted)}`]));
    expect(result(dialog)).toContain("1 file restored.");
    await click(button("Undo restoring 1 file"));
    await waitFor(() => expect(result(dialog)).toContain("are there again"));
    expect(button(/sign-in\.ts/)).toBeTruthy();
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

it("a comment on a line is kept as text, and given to the loop", async () => {
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
  await click(button("Give 1 comment to the loop"));
  await waitFor(() => expect(host.finishing.asked.at(-1)).toBe("take up 1"));
  await waitFor(() => expect(comments.textContent).toContain("You · Task of the loop"));
  expect(result(dialog)).toContain("1 comment given to the loop.");
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
    await click(button("Commit 3 files"));
    await waitFor(() => expect(result(dialog)).toContain("3 files committed as 5a1e0c9d7b."));
    expect(host.finishing.asked.at(-1)).toMatch(/^commit 3 Implement user sign-in/);

    await click(button("Send loopdeck/sign-in to github.com/ana/storefront…"));
    expect(host.finishing.asked).not.toContain("push");
    await click(button("Send the branch"));
    await waitFor(() => expect(result(dialog)).toContain("loopdeck/sign-in was sent to"));
    await fill(within(dialog).getByRole("textbox", { name: /^Reviewers/ }), "ben, mia");
    await click(button("Create pull request"));
    await waitFor(() =>
      expect(host.finishing.asked.at(-1)).toBe("pull request Implement user sign-in for ben,mia"),
    );
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
    await click(button("Commit 3 files"));
    await waitFor(() => expect(result(dialog)).toContain("A Git hook refused the commit."));
    expect(result(dialog)).toContain("lint: <img src=x> 3 errors");
    expect(button("Commit 3 files")).toBeTruthy();
  });

  it("is put on a branch, merged and kept", async () => {
    const { host, dialog, button } = await openFinish();
    await fill(within(dialog).getByRole("textbox", { name: "Name of the new branch" }), "sign-in");
    await click(button("Create branch"));
    await waitFor(() => expect(result(dialog)).toContain("The work is on sign-in."));
    await click(button("Merge into main"));
    await waitFor(() => expect(result(dialog)).toContain("3 files merged into main."));
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
    expect(ask.textContent).toContain("4 files that aren’t committed move to the system trash.");
    const cancel = within(ask).getByRole("button", { name: "Cancel" });
    await waitFor(() => expect(document.activeElement).toBe(cancel));
    await click(cancel);
    await waitFor(() => expect(document.activeElement).toBe(button("Discard…")));
    expect(host.finishing.asked).toEqual([]);
    await click(button("Discard…"));
    await click(button("Discard the work"));
    await waitFor(() => expect(host.finishing.asked).toEqual(["discard"]));
    await waitFor(() => expect(screen.queryByTestId("finish-dialog")).toBeNull());
    expect(container.textContent).toContain("Work discarded. 4 files are in the system trash.");
  });

  it("outside of a worktree is neither merged nor discarded", async () => {
    const host = sampleHost();
    host.finishing.state = { ...host.finishing.state, worktree: null };
    const { dialog, button } = await openFinish(host);
    expect(button("Keep as it is")).toBeTruthy();
    expect(within(dialog).queryByRole("button", { name: /^(Merge|Discard)/ })).toBeNull();
  });
});
