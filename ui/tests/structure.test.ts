import { readdirSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { preProcessFile } from "typescript";
import { describe, expect, it } from "vitest";
import { UI } from "./lists";

/** Files of ours by their path; what programs write is left out. */
function filesIn(...folders: string[]): Map<string, string> {
  const written = /^src\/(host\/bindings|words\/catalogue|components\/icons)\.ts$/;
  const paths = folders.flatMap((folder) =>
    readdirSync(join(UI, folder), { recursive: true, encoding: "utf8" }).map((name) =>
      posix.join(folder, name.replaceAll("\\", "/")),
    ),
  );
  const ours = paths.filter((path) => /\.(ts|svelte|css|mjs)$/.test(path) && !written.test(path));
  return new Map(ours.map((path) => [path, readFileSync(join(UI, path), "utf8")]));
}

/** The files that one imports, at once, later or for a type. A component that draws itself inside of itself is a tree. */
function importsOf(path: string, files: ReadonlyMap<string, string>): string[] {
  const text = files.get(path)!;
  const scripts = path.endsWith(".svelte") ? text.matchAll(/<script[^>]*>([^]*?)<\/script>/g) : [["", text]];
  const named = [...scripts].flatMap(([, script]) => preProcessFile(script!, true, true).importedFiles);
  const near = named.map(({ fileName }) => fileName).filter((name) => name.startsWith("."));
  const found = near.map((name) => posix.join(posix.dirname(path), name));
  return found
    .flatMap((name) => [name, `${name}.ts`].find((one) => files.has(one)) ?? [])
    .filter((name) => name !== path);
}

/** One way around for each file that comes back to itself, each way once. */
function circles(files: ReadonlyMap<string, string>): string[] {
  const imports = new Map([...files.keys()].map((path) => [path, importsOf(path, files)]));
  const found: string[] = [];
  const done = new Set<string>();
  const visit = (path: string, way: readonly string[]): void => {
    const at = way.indexOf(path);
    if (at >= 0) found.push([...way.slice(at), path].join(" → "));
    if (at >= 0 || done.has(path)) return;
    for (const next of imports.get(path)!) visit(next, [...way, path]);
    done.add(path);
  };
  for (const path of imports.keys()) visit(path, []);
  return found;
}

describe("imports", () => {
  const files = filesIn("src");

  it("lead in no circle", () => expect(circles(files)).toEqual([]));

  it("are read from scripts and components, and those that come later too", () => {
    expect(importsOf("src/main.ts", files)).toContain("src/App.svelte");
    expect(importsOf("src/App.svelte", files)).toContain("src/state/app.svelte.ts");
    expect(importsOf("src/views/parts-later.ts", files)).toContain("src/views/loop/LoopView.svelte");
  });

  it.each([
    ['import { two } from "./two.svelte";', "export const two = 1;", "", []],
    ['import type { Two } from "./two.svelte";', "export {};", 'import "./one";', ["one.ts", "two.svelte"]],
    ['export * from "./two.svelte";', 'void import("./one");', "", ["one.ts", "two.svelte"]],
    ['import "./two.svelte";', 'import Two from "./two.svelte";', "", []],
    ['const text = `import "./two.svelte";`;', 'import "./one";', "", []],
  ])("%s of one and %s of the other", (one, module, two, way) => {
    const text = `<script lang="ts" module>${module}</script>\n<script lang="ts">${two}</script>\n<p>import</p>`;
    const made = new Map([
      ["one.ts", one],
      ["two.svelte", text],
    ]);
    const named = way.length > 0 ? [[...way, way[0]].join(" → ")] : [];
    expect(circles(made)).toEqual(named);
  });
});

/** Files that nobody takes in at once. */
function long(files: ReadonlyMap<string, string>): string[] {
  return [...files].filter(([, text]) => text.trimEnd().split("\n").length > 500).map(([path]) => path);
}

describe("files", () => {
  it("have at most 500 lines", () => expect(long(filesIn("src", "tests", "scripts"))).toEqual([]));

  it("are all looked at, but what programs write", () => {
    const paths = [...filesIn("src", "tests", "scripts").keys()];
    expect(paths).toContain("tests/structure.test.ts");
    expect(paths).toContain("scripts/words.mjs");
    expect(paths).not.toContain("src/host/bindings.ts");
    expect(long(new Map([["one.ts", "line\n".repeat(501)]]))).toEqual(["one.ts"]);
    expect(long(new Map([["one.ts", "line\n".repeat(500)]]))).toEqual([]);
  });
});

/** What files export and no other file names. */
function unusedExports(files: ReadonlyMap<string, string>): string[] {
  const words = new Map([...files].map(([path, text]) => [path, new Set(text.match(/[\w$]+/g))]));
  const named = /^export (?:(?:abstract|async) )?(?:function\*?|const|class|interface|type|let) ([\w$]+)/gm;
  return [...files].flatMap(([path, text]) =>
    [...text.matchAll(named)]
      .filter(([, name]) => ![...words].some(([other, all]) => other !== path && all.has(name!)))
      .map(([, name]) => `${path} ${name}`),
  );
}

describe("exports", () => {
  it("are used by another file", () => {
    const files = filesIn("src", "tests");
    // The types of its messages.
    files.set("catalogue", readFileSync(join(UI, "src/words/catalogue.ts"), "utf8"));
    expect(unusedExports(files)).toEqual([]);
  });

  it("are found that nobody uses", () => {
    const one =
      "export const used = 1;\nexport async function alone() {}\nexport type Alone = typeof used;\n";
    const made = new Map([
      ["one.ts", one],
      ["two.ts", 'import { used } from "./one";\n'],
    ]);
    expect(unusedExports(made)).toEqual(["one.ts alone", "one.ts Alone"]);
  });
});

describe("times", () => {
  it("are written by one module", () => {
    const others = [...filesIn("src")].filter(([path]) => path !== "src/words/format.ts");
    const written = /Intl\.DateTimeFormat|toLocale\w*String|\.to(Date|Time|ISO|UTC)String\(\)\}/;
    expect(others.filter(([, text]) => written.test(text)).map(([path]) => path)).toEqual([]);
  });
});
