import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "svelte/compiler";
import { describe, expect, it } from "vitest";
import { CATALOGUES, messages } from "./catalogues";
import { UI } from "./lists";

/** Not for people, or no code of the window: sample data, generated types. */
const OTHERS = /^(host\/(sample|memory|browser|bindings)|words\/catalogue)/;
/** Names of keys and of system colours. */
const NAMES =
  /^(Arrow\w+|\w*Lock|(Control|Meta|Alt|Shift|AltGraph)(\+\S+)*|Escape|Enter|Home|End|Tab|Page\w+|Delete|Backspace|ContextMenu|Space|Canvas\w*|Highlight|F\d+|((Ctrl|Shift|Alt|Esc|PgUp|PgDn|Enter|[A-Z]|[←→↑↓]|F\d+)( |$))+)$/u;
/** Literals that look like words, with the reason why they are none. */
const NO_WORDS: Readonly<Record<string, string>> = {
  English: "a language's own name",
  简体中文: "a language's own name",
  日本語: "a language's own name",
  "git init": "a command",
  From: "the end of a field's name",
  To: "the end of a field's name",
  "button quiet icon": "classes",
  "input, textarea, select": "a selector",
};

const HAN_OR_KANA = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;
/** What selectors, markup, media queries and patterns have, and prose has not. */
const NO_PROSE = /[[\]<>=#{}()@\\]|:\w|^[.*]/;
const CAPITAL_WORD = /(^|\s)\p{Lu}\p{Ll}+/u;
const WORDS_IN_A_ROW = /\p{L}{2,}[,.;:!?…]* \p{L}{2,}/u;
/** “of” in `${a} of ${b}`. */
const WORD_BETWEEN = /\s\p{Ll}{2,}(\s|$)/u;

function isSaid(text: string): boolean {
  if (NAMES.test(text) || text in NO_WORDS) return false;
  if (HAN_OR_KANA.test(text)) return true;
  return !NO_PROSE.test(text) && (CAPITAL_WORD.test(text) || WORDS_IN_A_ROW.test(text));
}

interface Node {
  type?: string;
  name?: string;
  value?: unknown;
  callee?: { name?: string };
  [key: string]: unknown;
}

/** Parts of the tree without words for people: types, imports, classes, what a developer reads of an error. */
function isSkipped({ type = "", name = "", callee }: Node): boolean {
  if (type.startsWith("TS")) return !/^TS(As|Satisfies|NonNull)/.test(type);
  if (type === "NewExpression") return /Error$/.test(callee?.name ?? "");
  if (type === "Attribute") return /^(class|data-)/.test(name);
  return /^(ImportDeclaration|ExportAllDeclaration|StyleDirective|ClassDirective)$/.test(type);
}

/** Strings of a script or of an expression in a template that a person would read. */
function said(node: unknown, found: string[] = []): string[] {
  if (Array.isArray(node)) for (const one of node) said(one, found);
  else if (node && typeof node === "object") {
    const one = node as Node;
    if (isSkipped(one)) return found;
    if (one.type === "Literal" && typeof one.value === "string" && isSaid(one.value)) found.push(one.value);
    if (one.type === "TemplateElement") {
      const { cooked = "" } = one.value as { cooked?: string };
      if (isSaid(cooked) || (WORD_BETWEEN.test(cooked) && !NO_PROSE.test(cooked))) found.push(cooked);
    }
    for (const [key, inner] of Object.entries(one)) {
      if (!["parent", "css", "typeAnnotation", "options"].includes(key)) said(inner, found);
    }
  }
  return found;
}

function saidIn(name: string, text: string): string[] {
  const script = `<script lang="ts">${text.replaceAll("</script", "<\\/script")}</script>`;
  const { instance, module, fragment } = parse(name.endsWith(".svelte") ? text : script, { modern: true });
  return said([instance, module, fragment]);
}

const source = join(UI, "src");
const sources = readdirSync(source, { recursive: true, encoding: "utf8" })
  .map((name) => name.replaceAll("\\", "/"))
  .filter((name) => /\.(ts|svelte)$/.test(name) && !OTHERS.test(name))
  .map((name) => [name, readFileSync(join(source, name), "utf8")] as const);

describe("scripts and expressions", () => {
  it.each(sources)("of %s say nothing that no catalogue could translate", (name, text) => {
    expect(saidIn(name, text)).toEqual([]);
  });

  it("leave what a language needs between words to its catalogue", () => {
    const guilty = sources.filter(([, text]) => /language\.id\s*[!=]==/.test(text)).map(([name]) => name);
    expect(guilty).toEqual([]);
  });

  it.each([
    ["x.ts", 'const reason = "Manual stop requested";', "Manual stop requested"],
    ["x.ts", "const reason = `Stopped by ${person}`;", "Stopped by "],
    ["x.ts", "const done = `${a} of ${b}`;", " of "],
    ["x.ts", 'const title = "停止";', "停止"],
    ["x.svelte", '<script lang="ts">let a = "Not found";</script>', "Not found"],
    ["x.svelte", '<p>{open ? "Hide rows" : ""}</p>', "Hide rows"],
  ])("are found in %s: %s", (name, text, words) => expect(saidIn(name, text)).toEqual([words]));

  it.each([
    'import { a } from "./Some File";',
    'type Word = "Not a word";',
    'throw new Error("no such row");',
    'document.querySelector(".content :is(input, select)");',
    'const key = "Shift F10";',
    "const id = `theme ${name}`;",
  ])("are not seen in %s", (text) => expect(saidIn("x.ts", text)).toEqual([]));
});

/** Messages that code asks for by name: one, or all below a name where a value decides. */
function unused(paths: readonly string[], code: string): string[] {
  const chains = [...code.matchAll(/\b(?:t|words|en)((?:\s*\??\.\s*[\w$]+)+)|"(\w+(?:\.\w+)+)"/g)];
  // `"kinds.{kind}"` of the reports: all below it.
  const chosen = [...code.matchAll(/"(\w+(?:\.\w+)*)\.\{/g)].map(([, path]) => path!);
  const asked = new Set(
    chosen.concat(chains.map(([, chain, path]) => path ?? chain!.replace(/[\s?]/g, "").slice(1))),
  );
  const upTo = (path: string) => path.split(".").map((_, at, parts) => parts.slice(0, at + 1).join("."));
  const whole = new Set([...asked].flatMap(upTo));
  return paths.filter((path) => !whole.has(path) && !upTo(path).some((part) => asked.has(part)));
}

describe("messages of the catalogue", () => {
  it("are used by the window or the reports", () => {
    const reports = join(UI, "../src-tauri/reports/src");
    const rust = readdirSync(reports).map((name) => readFileSync(join(reports, name), "utf8"));
    const code = [...sources.map(([, text]) => text), ...rust].join("\n");
    expect(unused([...messages(CATALOGUES.en).keys()], code)).toEqual([]);
  });

  it("are found that nobody uses", () => {
    const code =
      'say(t.list.title); fill(t.kinds[kind]); t.list\n  .none.length; word("file.all"); format!("heads.{head}")';
    const paths = ["list.title", "list.none", "kinds.one", "file.all", "heads.one"];
    expect(unused([...paths, "list.other", "kind", "file.none"], code)).toEqual([
      "list.other",
      "kind",
      "file.none",
    ]);
  });
});
