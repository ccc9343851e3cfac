import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
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
const SPOKEN = new Set(["data-tip", "aria-label", "placeholder", "alt", "aria-description"]);
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

function withoutScript(text: string): string {
  return text.replace(/<script[\s\S]*?<\/script>/g, "");
}

/** Colours that no theme could change: as numbers, as functions, as names. System colours of forced colours are none. */
const COLOUR =
  /#(?:[0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})\b|\b(?:rgba?|hsla?|hwb|lab|lch|oklab|oklch|color|color-mix|light-dark)\(/gi;
const NAMED =
  /[:\s"](?:white|black|gr[ae]y|silver|red|maroon|orange|yellow|gold|green|lime|olive|teal|cyan|aqua|blue|navy|purple|violet|magenta|fuchsia|pink|brown|crimson|tomato)(?=[;\s",)}])/gi;

function rawColours(text: string): string[] {
  const style = text.slice(text.indexOf("<style") < 0 ? 0 : text.indexOf("<style"));
  const declarations = [...style.matchAll(/[\w-]+:\s*[^;{}]+;/g)].map((match) => match[0]);
  const painted = [...text.matchAll(/\s(?:fill|stroke|color)="[^"]*"/g)].map((match) => match[0]);
  return [
    ...(style.match(COLOUR) ?? []),
    ...[...declarations, ...painted].filter((one) => one.match(NAMED) !== null),
  ];
}

const SCALE: Readonly<Record<string, RegExp>> = {
  "font-size": /^(11|12|13|14|16|20|26)px$|^inherit$|^(1|0\.\d+)em$/,
  "font-weight": /^(400|600|inherit)$/,
  // 2 px and 1 px are ends of bars and marks; 9 px and 999 px are counters.
  "border-radius": /^((0|1px|2px|4px|6px|9px|10px|999px|50%|inherit)\s*)+$/,
};

/** Declarations whose value is not of the visual language. */
function offScale(text: string): string[] {
  return Object.entries(SCALE).flatMap(([property, fits]) =>
    [...text.matchAll(new RegExp(`[\\s;{]${property}:\\s*([^;}]+)`, "g"))]
      .map((match) => (match[1] as string).trim())
      .filter((value) => !value.startsWith("var(") && !fits.test(value))
      .map((value) => `${property}: ${value}`),
  );
}

function declared(text: string): string[] {
  return [...text.matchAll(/(?:--|style:--)([\w-]+)(?=\s*[:=])/g)].map((match) => match[1] as string);
}

describe.each(templates)("%s", (path, text) => {
  it("has no inline words", () => {
    expect(literals(parse(text, { modern: true }).fragment)).toEqual([]);
  });

  it("uses roles, not raw colours", () => {
    expect(rawColours(withoutScript(text))).toEqual([]);
  });

  it("takes sizes, weights and radii from the scale", () => {
    expect(offScale(withoutScript(text))).toEqual([]);
  });

  it("stays below 400 lines", () => {
    expect(text.split("\n").length, path).toBeLessThan(400);
  });

  it("has no style attribute and no raw markup", () => {
    expect(text).not.toMatch(/\sstyle="/);
    expect(text).not.toContain("{@html");
  });
});

describe("scrollers", () => {
  const rules = templates.flatMap(([path, text]) =>
    [...text.slice(text.lastIndexOf("<style>") + 7).matchAll(/([^{}]+)\{([^{}]*)\}/g)].map((rule) => ({
      path,
      selector: (rule[1] ?? "").trim(),
      body: rule[2] ?? "",
    })),
  );

  it("keep no margin around what is clicked: near the edge, web views scroll instead of clicking", () => {
    const wide = rules.filter(({ body }) => body.includes("scroll-margin"));
    // A lane is chosen with the keys and has nothing of a control.
    expect(wide.map(({ path, selector }) => `${path} ${selector}`)).toEqual([
      "src/views/loop/workers/Lane.svelte .lane",
    ]);
  });

  it.each([
    ["src/views/start/FormFrame.svelte", ".content"],
    ["src/components/Modal.svelte", ".wide .content"],
  ])("in which something unfolds hold the room of their bar: %s %s", (path, selector) => {
    const own = rules.filter((rule) => rule.path === path && rule.selector.endsWith(selector));
    expect(own.some(({ body }) => body.includes("scrollbar-gutter: stable"))).toBe(true);
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

  it("ship no parts of development: what is only for those who build the window comes behind DEV", () => {
    const DEVELOPMENT = /(?:views\/parts\/|host\/(?:browser|memory|sample-))/;
    const inside = (path: string) => DEVELOPMENT.test(relative(source, path));
    const imported = (text: string) => [...text.matchAll(/^\s*import [^;]*? from "([^"]+)";/gm)];
    const guilty = [...code, ...files(source, ".svelte")]
      .filter((path) => !inside(path))
      .filter((path) =>
        imported(readFileSync(path, "utf8")).some(([, from]) =>
          inside(from!.startsWith(".") ? join(dirname(path), from!) : from!),
        ),
      );
    expect(guilty.map((path) => relative(source, path))).toEqual([]);
  });

  const styles = files(join(source, "styles"), ".css");

  it("have raw colours only in the tokens", () => {
    const others = styles.filter((path) => !path.endsWith("tokens.css"));
    expect(others.flatMap((path) => rawColours(readFileSync(path, "utf8")))).toEqual([]);
  });

  it("take sizes, weights and radii from the scale", () => {
    expect(styles.flatMap((path) => offScale(readFileSync(path, "utf8")))).toEqual([]);
  });

  it("use only roles that the tokens name", () => {
    const texts = [...styles.map((path) => readFileSync(path, "utf8")), ...templates.map(([, text]) => text)];
    // A part may set one for those inside of it.
    const named = new Set(texts.flatMap(declared));
    const used = texts.flatMap((text) => [...text.matchAll(/var\(--([\w-]+)(?![\w{-])/g)]);
    const unknown = used.map((match) => match[1] as string).filter((name) => !named.has(name));
    expect([...new Set(unknown)]).toEqual([]);
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

describe("names", () => {
  it("gives a function's name to one function", () => {
    const places = new Map<string, string[]>();
    for (const path of files(source, ".ts").filter((path) => !path.endsWith("bindings.ts")))
      for (const [, name = ""] of readFileSync(path, "utf8").matchAll(/^export (?:async )?function (\w+)/gm))
        places.set(name, [...(places.get(name) ?? []), relative(UI, path)]);
    expect(places.size).toBeGreaterThan(400);
    expect([...places].filter(([, paths]) => paths.length > 1)).toEqual([]);
  });
});
