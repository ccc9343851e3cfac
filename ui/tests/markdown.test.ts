import { describe, expect, it } from "vitest";
import { fencedCode, inlineCode, joinedParts, plainText, markdownTable } from "../src/state/markdown";

describe("Markdown for a chat", () => {
  it("keeps text from files text", () => {
    expect(plainText("a *b* <script> | [x](y)\n# z")).toBe("a \\*b\\* \\<script\\> \\| \\[x\\](y) \\# z");
  });

  it("fences code that holds backticks", () => {
    expect(inlineCode("a")).toBe("`a`");
    expect(inlineCode("`a` ``b``")).toBe("``` `a` ``b`` ```");
    expect(inlineCode("  ")).toBe("");
    expect(fencedCode("```\nx\n```\n", "sh")).toBe("````sh\n```\nx\n```\n````");
  });

  it("makes tables and leaves out what is empty", () => {
    expect(markdownTable(["a", "b"], [["1", "2"]])).toBe("| a | b |\n| --- | --- |\n| 1 | 2 |");
    expect(joinedParts("# a", "", null, false, "b")).toBe("# a\n\nb\n");
  });
});
