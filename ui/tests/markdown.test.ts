import { describe, expect, it } from "vitest";
import { block, code, parts, plainText, table } from "../src/state/markdown";

describe("Markdown for a chat", () => {
  it("keeps text from files text", () => {
    expect(plainText("a *b* <script> | [x](y)\n# z")).toBe("a \\*b\\* \\<script\\> \\| \\[x\\](y) \\# z");
  });

  it("fences code that holds backticks", () => {
    expect(code("a")).toBe("`a`");
    expect(code("`a` ``b``")).toBe("``` `a` ``b`` ```");
    expect(code("  ")).toBe("");
    expect(block("```\nx\n```\n", "sh")).toBe("````sh\n```\nx\n```\n````");
  });

  it("makes tables and leaves out what is empty", () => {
    expect(table(["a", "b"], [["1", "2"]])).toBe("| a | b |\n| --- | --- |\n| 1 | 2 |");
    expect(parts("# a", "", null, false, "b")).toBe("# a\n\nb\n");
  });
});
