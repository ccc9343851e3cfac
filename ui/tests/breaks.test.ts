import { describe, expect, it } from "vitest";
import { pathParts, wrapParts } from "../src/components/breaks";

describe("long words", () => {
  it("end a line behind a separator, never within a name", () => {
    expect(pathParts("src/rate_limit/key.ts:31")).toEqual(["src/", "rate_limit/", "key.", "ts:", "31"]);
    expect(pathParts("../a//b")).toEqual(["../", "a//", "b"]);
    expect(pathParts("C:\\code\\a.ts")).toEqual(["C:\\", "code\\", "a.", "ts"]);
  });

  it("are looked for in texts, which stay as they are without one", () => {
    const plain = "Wrote src/a.ts. It works: see the log.";
    expect(wrapParts(plain)).toEqual([plain]);
    const text = "Wrote services/auth/src/rate_limit/store.rs, at last.";
    expect(wrapParts(text)).toContain("rate_limit/");
    expect(wrapParts(text).join("")).toBe(text);
  });
});
