import { render, screen, within } from "@testing-library/svelte";
import { afterEach, describe, expect, it } from "vitest";
import { sampleNeeds } from "../src/host/sample-needs";
import { AnswerDraft } from "../src/state/needs.svelte";
import InterruptedBody from "../src/views/needs/InterruptedBody.svelte";
import { language } from "../src/words/language.svelte";
import { headline } from "../src/words/need-phrases";
import { NOW, sampleHost } from "./mount";

const sample = sampleNeeds(sampleHost().rows(), NOW).find((need) => need.kind === "interrupted")!;
const left = (word: string) => ({ ...sample, args: { left: word, action: "develop", task: "task-003" } });

/** What the card says, and the names of its buttons. */
function card(word: string): { said: string; buttons: string[] } {
  const { container, unmount } = render(InterruptedBody, {
    props: {
      need: left(word),
      draft: new AnswerDraft(async () => ""),
      busy: false,
      onanswer: () => undefined,
    },
  });
  const said = screen.getByTestId("interruption").textContent.trim();
  const buttons = within(container).getAllByRole("button");
  const names = buttons.map((button) => button.textContent.trim());
  unmount();
  return { said, buttons: names };
}

afterEach(() => {
  language.id = "en";
});

describe("the card of an interrupted loop", () => {
  it.each([
    [
      "finished",
      "Loopdeck closed while this loop ran.",
      "Develop (task-003) finished after Loopdeck closed. Resume records its result and continues after it.",
    ],
    [
      "recorded",
      "Loopdeck closed while this loop ran.",
      "Develop (task-003) finished after Loopdeck closed, and its result is recorded. Resume continues after it.",
    ],
    [
      "failed",
      "The run was interrupted.",
      "Develop (task-003) failed after Loopdeck closed. Changes to your files were kept; the action runs again when you resume.",
    ],
    [
      "cut_off",
      "The run was interrupted.",
      "Loopdeck closed during Develop (task-003), which was then cut off. Changes to your files were kept; the action runs again when you resume.",
    ],
    [
      "between",
      "Loopdeck closed while this loop ran.",
      "No action was running when Loopdeck closed. Resume continues with the next one.",
    ],
    // What an older Loopdeck noted does not say it.
    [
      "",
      "The run was interrupted.",
      "Loopdeck closed during Develop (task-003), which was then cut off. Changes to your files were kept; the action runs again when you resume.",
    ],
  ])("that was left as “%s” says what happened and what Resume does", (word, head, said) => {
    expect(headline(left(word))).toBe(head);
    expect(card(word).said).toBe(said);
    expect(card(word).buttons).toContain("Start agent and resume");
  });

  it.each(["zh-CN", "ja"] as const)("says five things in %s too, and only two run again", (id) => {
    const words = ["finished", "recorded", "failed", "cut_off", "between"];
    language.id = id;
    const again = id === "ja" ? "もう一度実行" : "重新执行";
    expect(new Set(words.map((word) => card(word).said)).size).toBe(5);
    expect(words.filter((word) => card(word).said.includes(again))).toEqual(["failed", "cut_off"]);
  });
});
