import { render, screen } from "@testing-library/svelte";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import DiffView from "../src/components/DiffView.svelte";
import { lineDifferences } from "../src/state/line-diff";
import { changedWords, partnerOf } from "../src/state/word-diff";

const marked = (text: string, other: string, side: "left" | "right") =>
  changedWords(text, other, side)
    ?.map(({ text: piece, changed }) => (changed ? `[${piece}]` : piece))
    .join("");

describe("words of two lines", () => {
  it("are marked where they differ, on each side its own", () => {
    const [before, after] = ['  "status": "running",', '  "status": "paused",'];
    expect(marked(before, after, "left")).toBe('  "status": "[running]",');
    expect(marked(after, before, "right")).toBe('  "status": "[paused]",');
    expect(marked("状态：运行中", "状态：已暂停", "left")).toContain("状态：");
  });

  it("are not marked where the lines have little in common", () => {
    expect(changedWords("completely other words", '"iteration": 4,', "left")).toBeNull();
  });

  it("are all there, whatever the lines are", () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.constantFrom("left", "right"), (text, other, side) => {
        const pieces = changedWords(text, other, side as "left" | "right");
        expect(pieces?.map((piece) => piece.text).join("") ?? text).toBe(text);
      }),
    );
  });

  it("end in time in lines that are made to be slow", () => {
    const words = (step: number) => Array.from({ length: 1_000 }, (_, at) => `${(at * step) % 89}`).join(" ");
    expect(changedWords(words(31), words(57), "left")).toBeNull();
  });
});

describe("the line beside a line", () => {
  it("is the one of the same number in the same difference", () => {
    const found = lineDifferences(["a", "b", "c", "d", "e"], ["a", "x", "d", "e", "y"])!;
    expect(partnerOf(found, "left", 1)).toBe(1);
    expect(partnerOf(found, "left", 2)).toBeNull();
    expect(partnerOf(found, "right", 1)).toBe(1);
    expect(partnerOf(found, "right", 4)).toBeNull();
    expect(partnerOf(found, "left", 0)).toBeNull();
  });
});

describe("two texts beside each other", () => {
  it("show which words of a line have changed", () => {
    const props = {
      left: ['"status": "running"'],
      right: ['"status": "paused"'],
      leftTitle: "a",
      rightTitle: "b",
    };
    render(DiffView, { props });
    expect(screen.getByText("running").className).toContain("changed");
    expect(screen.getByText("paused").className).toContain("changed");
  });
});
