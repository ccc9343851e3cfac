import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { drawableLines } from "../src/views/loop/output/whole";
import { shownText } from "../src/views/loop/output/rows";
import { folded, FOLD_LETTERS } from "../src/views/needs/visible";
import { cutText, cutAt, withoutHalf } from "../src/words/cut";

const FAMILY = "👨‍👩‍👧‍👦";

describe("a text that is too long", () => {
  it("ends between words", () => {
    expect(cutText("The old refresh token is refused", 20)).toBe("The old refresh…");
    expect(cutText("short", 20)).toBe("short");
    expect(cutText("测试已经完成所有登录都被拒绝", 7)).toMatch(/^测试已经(完成)?…$/);
  });

  it("is cut anywhere in a word that is as long as itself, but not in a letter", () => {
    expect(cutText("x".repeat(90), 40)).toBe(`${"x".repeat(40)}…`);
    expect(cutText(`aa${FAMILY.repeat(9)}`, 20)).toBe(`aa${FAMILY}…`);
    expect(cutText(`${"e\u0301".repeat(99)}`, 40)).not.toMatch(/e…$/);
  });

  it("comes to its end in pieces, whatever it is made of", () => {
    const piece = fc.constantFrom(
      "word",
      " ",
      "\t",
      "测试",
      FAMILY,
      "e\u0301",
      "/",
      "x".repeat(50),
      "\ud800",
    );
    fc.assert(
      fc.property(fc.array(piece), fc.integer({ min: 1, max: 80 }), (pieces, most) => {
        const text = pieces.join("");
        const lines = drawableLines(text, most);
        expect(lines.join("")).toBe(text);
        for (const line of lines) expect(line.length).toBeLessThanOrEqual(most);
        for (let at = 0; at < text.length; at += 1) expect(cutAt(text, at, most)).toBeGreaterThan(at);
      }),
    );
  });
});

it("what was cut by somebody else loses its half word", () => {
  expect(withoutHalf("assertion failed: old tok")).toBe("assertion failed: old…");
  expect(withoutHalf("assertion failed: old ")).toBe("assertion failed: old…");
  expect(withoutHalf("x".repeat(99))).toBe(`${"x".repeat(99)}…`);
  expect(withoutHalf("所有测试都已完成")).toMatch(/^所有测试都已?…$/);
  expect(withoutHalf("测")).toBe("测…");
  expect(withoutHalf("")).toBe("…");
});

describe("a row of the output", () => {
  const row = { at: 0, kind: "tool_end" as const, name: "", ok: null, depth: 0 };

  it("that was cut ends with a whole word; raw it is as it came", () => {
    const cut = { ...row, text: "left == right failed: old tok", cut: 9_000 };
    expect(shownText(cut, false)).toBe("left == right failed: old…");
    expect(shownText(cut, true)).toBe(cut.text);
    expect(shownText({ ...cut, cut: null }, false)).toBe(cut.text);
  });
});

it("an input is folded between words, and all that is not shown is counted", () => {
  const text = "commit ".repeat(400);
  const { text: shown, more } = folded(text, false);
  expect(shown.length).toBeLessThanOrEqual(FOLD_LETTERS);
  expect(shown).toMatch(/commit $/);
  expect(more).toEqual({ of: "characters", count: text.length - shown.length });
});
