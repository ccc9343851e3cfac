import { describe, expect, it } from "vitest";
import { pathParts, wrapParts } from "../src/components/breaks";

describe("long words", () => {
  it("end a line behind a separator, never within a name", () => {
    expect(pathParts("src/rate_limit/key.ts:31")).toEqual(["src/", "rate_limit/", "key.ts:31"]);
    expect(pathParts("../a//b")).toEqual(["../", "a//", "b"]);
    expect(pathParts("C:\\code\\a.ts")).toEqual(["C:\\", "code\\", "a.ts"]);
  });

  it("keep the ending of a file and the line in it with its name", () => {
    expect(pathParts("ui/store.test.svelte:71")).toEqual(["ui/", "store.test.svelte:71"]);
    expect(pathParts("org.example.checkout.Prices")).toEqual(["org", ".example", ".checkout.Prices"]);
    expect(pathParts("src/cart.rs:total:40")).toEqual(["src/", "cart.rs:", "total:40"]);
  });

  it("are looked for in texts, which stay as they are without one", () => {
    const plain = "Wrote src/a.ts. It works: see the log.";
    expect(wrapParts(plain)).toEqual([plain]);
    const text = "Wrote services/auth/src/rate_limit/store.rs, at last.";
    expect(wrapParts(text)).toContain("rate_limit/");
    expect(wrapParts(text).join("")).toBe(text);
  });

  it("are written moments too: the day on one line, the time of day on the next", () => {
    expect(wrapParts("2026-11-20T01:21:00.234Z")).toEqual(["2026-11-20T", "01:21:00.234Z"]);
    expect(wrapParts("2026-11-20 and T01:21")).toEqual(["2026-11-20 and T01:21"]);
  });
});
