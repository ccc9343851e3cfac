import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import manifest from "../package.json";
import { UI } from "./lists";

/** The package of an import that is no file of ours. */
const packageOf = (name: string) => /^(@[^/]+\/)?[^/]+/.exec(name)![0];

/** The packages that code in `folder` imports. */
function imported(folder: string): Set<string> {
  const found = new Set<string>();
  for (const entry of readdirSync(join(UI, folder), { recursive: true, encoding: "utf8" })) {
    if (!/\.(ts|svelte|mjs)$/.test(entry)) continue;
    const text = readFileSync(join(UI, folder, entry), "utf8");
    const imports = text.matchAll(/^\s*(?:import|export|\}) .*?from "([^".]+)";$|^import "([^".]+)";$/gm);
    for (const [, from, alone] of imports) found.add(packageOf((from ?? alone)!));
  }
  return found;
}

it("what the window is made of is no development package: its licence is shown and its advisories are looked up", () => {
  const production = Object.keys(manifest.dependencies);
  expect([...imported("src")].filter((name) => !production.includes(name))).toEqual([]);
  expect(imported("src").has("svelte"), "imports are found").toBe(true);
  // Its drawings are copied into the source.
  expect(production).toContain("lucide-static");
});
