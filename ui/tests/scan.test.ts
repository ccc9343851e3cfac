import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { parse } from "svelte/compiler";
import { describe, expect, it } from "vitest";
import { UI } from "./lists";

function files(folder: string, ends: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return files(path, ends);
    return entry.name.endsWith(ends) ? [path] : [];
  });
}

const source = join(UI, "src");
const templates = files(source, ".svelte").map(
  (path) => [relative(UI, path), readFileSync(path, "utf8")] as const,
);
/** Attributes whose text a person reads or hears. */
const SPOKEN = new Set(["title", "aria-label", "placeholder", "alt", "aria-description"]);
const LETTERS = /\p{L}{2,}/u;

interface Node {
  type?: string;
  name?: string;
  data?: string;
  value?: unknown;
  [key: string]: unknown;
}

/** Literal text of a template: words that no catalogue could translate. */
function literals(node: unknown, found: string[] = []): string[] {
  if (Array.isArray(node)) for (const one of node) literals(one, found);
  else if (node && typeof node === "object") {
    const one = node as Node;
    if (one.type === "StyleDirective") return found;
    if (one.type === "Text" && LETTERS.test(one.data ?? "")) found.push((one.data ?? "").trim());
    if (one.type === "Attribute") {
      if (SPOKEN.has(one.name ?? "")) literals(one.value, found);
      return found;
    }
    for (const [key, inner] of Object.entries(one)) if (key !== "parent") literals(inner, found);
  }
  return found;
}

describe.each(templates)("%s", (path, text) => {
  it("has no inline words", () => {
    expect(literals(parse(text, { modern: true }).fragment)).toEqual([]);
  });

  it("uses roles, not raw colours", () => {
    const style = text.slice(text.indexOf("<style"));
    expect(
      style.match(/#[0-9a-f]{3,8}\b|\brgba?\(|\bhsla?\(|:\s*(white|black|red|green|blue)\b/gi) ?? [],
    ).toEqual([]);
  });

  it("stays below 400 lines", () => {
    expect(text.split("\n").length, path).toBeLessThan(400);
  });

  it("has no style attribute and no raw markup", () => {
    expect(text).not.toMatch(/\sstyle="/);
    expect(text).not.toContain("{@html");
  });
});

describe("sources", () => {
  const code = files(source, ".ts").filter((path) => !path.endsWith("bindings.ts"));

  it("know the desktop shell only in src/host/", () => {
    const guilty = [...code, ...files(source, ".svelte")]
      .filter((path) => !path.startsWith(join(source, "host")))
      .filter((path) => readFileSync(path, "utf8").includes("@tauri-apps/"));
    expect(guilty).toEqual([]);
  });

  it("look into the sample's rules only in src/host/", () => {
    const guilty = [...code, ...files(source, ".svelte")]
      .filter((path) => !path.startsWith(join(source, "host")))
      .filter((path) => readFileSync(path, "utf8").includes("host/sample-"));
    expect(guilty).toEqual([]);
  });

  it("have raw colours only in the tokens", () => {
    const styles = files(join(source, "styles"), ".css").filter((path) => !path.endsWith("tokens.css"));
    const guilty = styles.filter((path) => /#[0-9a-f]{3,8}\b|rgba?\(/i.test(readFileSync(path, "utf8")));
    expect(guilty).toEqual([]);
  });
});

describe("the lock file", () => {
  it("names no registry", () => {
    expect(readFileSync(join(UI, "package-lock.json"), "utf8")).not.toMatch(/"resolved": "https?:/);
  });
});

describe("the page", () => {
  it("has no inline script or style", () => {
    const page = readFileSync(join(UI, "index.html"), "utf8");
    expect(page).not.toMatch(/<script(?![^>]*\bsrc=)/);
    expect(page).not.toMatch(/<style|\sstyle=/);
  });
});
