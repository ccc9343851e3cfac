import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ICONS } from "../src/components/icons";

const UI = join(import.meta.dirname, "..");
const SRC = join(UI, "src");

describe("icons", () => {
  it("are drawn as lucide draws them", () => {
    // Ends with a sentence that says what to run.
    execFileSync("node", ["scripts/icons.mjs", "--check"], {
      cwd: UI,
      stdio: ["ignore", "ignore", "inherit"],
    });
  });

  it("are only those that the window shows", () => {
    const sources = readdirSync(SRC, { recursive: true, encoding: "utf8" })
      .filter((name) => /\.(ts|svelte)$/.test(name) && !/icons\.ts$|bindings\.ts$|views\/parts\//.test(name))
      .map((name) => readFileSync(join(SRC, name), "utf8"))
      .filter((text) => /Icon|icon/.test(text))
      .join("\n");
    const unused = Object.keys(ICONS).filter((name) => !sources.includes(`"${name}"`));
    expect(unused).toEqual([]);
  });
});
