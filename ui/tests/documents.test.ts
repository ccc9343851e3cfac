import { fireEvent, screen, waitFor } from "@testing-library/svelte";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import type { SourcePage } from "../src/host/bindings";
import type { MemoryHost } from "../src/host/memory";
import { logLines } from "../src/host/sample-documents";
import { DocText, MOST_LINES } from "../src/views/loop/documents/doc-text.svelte";
import { logColumns, entryOf, textsOfEntry } from "../src/views/loop/documents/entries";
import { hitsIn, piecesOf } from "../src/views/loop/documents/find.svelte";
import { parseMarkdown, referencesOf, textsOf } from "../src/views/loop/documents/markdown";
import { sectionsOf, textOfSection } from "../src/views/loop/documents/sections";
import { keyOf, mountApp, sampleHost } from "./mount";
import { click, fill, press } from "./person";

const TITLE = "Implement user";

async function openDocument(host: MemoryHost, name: string): Promise<HTMLElement> {
  host.open = keyOf(host, TITLE);
  await mountApp(host);
  await click(await screen.findByRole("tab", { name: /^Files/ }));
  await click(await screen.findByTestId(`doc-${name}`));
  return screen.findByTestId(name.endsWith(".md") ? "rendered" : "entries");
}

// The first document that is opened waits for the parser; how long that is read is nobody's concern here.
beforeAll(async () => {
  await import("../src/views/loop/documents/RenderedText.svelte");
}, 60_000);

async function openText(lines: readonly string[], name = "debug.md"): Promise<HTMLElement> {
  const host = sampleHost();
  host.documents.write(
    host.rows().find((row) => row.title.startsWith(TITLE))!,
    name,
    lines,
  );
  return openDocument(host, name);
}

describe("a document", () => {
  it("is drawn with headings, lists, boxes, tables, code and quotes", async () => {
    const text = await openText([
      "# One",
      "- [x] done",
      "- [ ] open",
      "",
      "3. third",
      "",
      "| a | b |",
      "|---|--:|",
      "| 1 | **2** |",
      "",
      "```ts",
      "const a = 1;",
      "```",
      "",
      "> said",
      "",
      "**ID**: 1",
      "**Task**: 2",
    ]);
    expect(text.querySelector('[role="heading"]')?.textContent?.trim()).toBe("One");
    expect(
      [...text.querySelectorAll("li")].map((one) => one.textContent?.replace(/\s+/g, " ").trim()),
    ).toEqual(["done: done", "open: open", "third"]);
    expect(text.querySelector("ol")?.getAttribute("start")).toBe("3");
    expect(text.querySelector("td strong")?.textContent).toBe("2");
    expect(text.querySelector("pre")?.textContent).toBe("const a = 1;");
    expect(text.querySelector("blockquote")?.textContent?.trim()).toBe("said");
    expect(text.querySelector("br")).not.toBeNull();
  });

  it("never becomes markup, an image, a frame or a link of the window", async () => {
    const text = await openText([
      "<script>alert(1)</script>",
      "",
      "<img src=x onerror=alert(1)> <iframe src='https://x.y'></iframe> <svg onload=alert(1)>",
      "",
      "[a](javascript:alert(1)) [b](data:text/html,<script>) [c](https://example.org/c) <https://example.org/d>",
      "",
      "![seen](https://example.org/p.png) ![x](data:image/png;base64,AAAA)",
      "",
      "[e]: javascript:alert(1)",
      "",
      "[e] &lt;script&gt;",
    ]);
    expect(text.querySelector("script, img, iframe, svg[onload], a, object, embed, link, style")).toBeNull();
    expect(text.textContent).toContain("<script>alert(1)</script>");
    expect(text.textContent).toContain("<img src=x onerror=alert(1)>");
    expect(text.textContent).toContain("[a](javascript:alert(1))");
    const links = [...text.querySelectorAll('[data-testid="link"]')].map((one) => one.textContent);
    expect(links).toEqual(["c", "https://example.org/d"]);
    for (const node of text.querySelectorAll("*")) {
      for (const name of node.getAttributeNames()) expect(name).not.toMatch(/^on|^href$|^src/);
    }
  });

  it("shows where a link leads and opens nothing; a document of the loop is shown", async () => {
    const text = await openText(["[c](https://example.org/c) and [d](./develop.md)"]);
    const [link, other] = text.querySelectorAll<HTMLElement>('[data-testid="link"]');
    await click(link!);
    const address = await screen.findByRole("dialog", { name: "Link address" });
    expect(address.textContent).toContain("https://example.org/c");
    expect(document.activeElement).toBe(address);
    await press("{Escape}", address);
    expect(screen.queryByTestId("address")).toBeNull();
    await click(other!);
    expect(screen.getByTestId("doc-develop.md").getAttribute("aria-pressed")).toBe("true");
  });

  it("is shown however deeply it is nested", async () => {
    const deep = `${">".repeat(5_000)} x`;
    const text = await openText([
      deep,
      "",
      "[".repeat(20_000),
      "",
      "*".repeat(9_999),
      "",
      "- ".repeat(3_000),
    ]);
    expect(text.textContent?.length).toBeGreaterThan(1_000);
  });

  it("is searched with marks, from place to place, and left with Escape", async () => {
    const text = await openText(["# A cat", "", "one **Cat**, another cat"]);
    await press("{Control>}f{/Control}");
    const field = await screen.findByRole("textbox", { name: "Find in this document" });
    await fill(field, "cat");
    await waitFor(() => expect(screen.getByTestId("found").textContent).toBe("1 of 3"));
    await waitFor(() => expect(text.querySelectorAll("mark")).toHaveLength(3));
    await press("{Enter}", field);
    await waitFor(() => expect(text.querySelector("mark[data-here]")?.textContent).toBe("Cat"));
    await press("{Shift>}{Enter}{/Shift}", field);
    expect(screen.getByTestId("found").textContent).toBe("1 of 3");
    await fill(field, "dog");
    expect(screen.getByTestId("found").textContent).toBe("Not found");
    await press("{Escape}", field);
    expect(text.querySelector("mark")).toBeNull();
    expect(document.activeElement).toBe(text);
  });

  it("can be read as source, with line numbers and the same search", async () => {
    await openText(["# A cat", "", "one **Cat**"]);
    await click(screen.getByRole("radio", { name: "Source" }));
    const source = await screen.findByTestId("document");
    await waitFor(() => expect(source.textContent).toContain("one **Cat**"));
    await press("{Control>}f{/Control}");
    await fill(await screen.findByRole("textbox", { name: "Find in this document" }), "cat");
    await waitFor(() => expect(source.querySelectorAll("mark")).toHaveLength(2));
  });

  it("keeps the place while it grows and says how much is new", async () => {
    const host = sampleHost();
    const row = host.rows().find((one) => one.title.startsWith(TITLE))!;
    await openDocument(host, "develop.md");
    host.documents.add(row, "develop.md", ["", "## Later", "", "said"]);
    host.write(row.key, {});
    expect((await screen.findByRole("button", { name: "4 new" })).textContent).toContain("4 new");
  });

  it("is named by a link, of its own", async () => {
    const texts: string[] = [];
    const clipboard = { writeText: (text: string) => Promise.resolve(void texts.push(text)) };
    Object.defineProperty(navigator, "clipboard", { configurable: true, value: clipboard });
    await openDocument(sampleHost(), "develop.md");
    await click(screen.getByRole("button", { name: "Copy link" }));
    await waitFor(() => expect(texts[0]).toMatch(/tab=files&item=develop\.md$/));
  });

  it("of four megabytes draws only what is near the view", async () => {
    const host = sampleHost();
    host.documents.big = true;
    const text = await openDocument(host, "develop.md");
    await waitFor(() =>
      expect(screen.getByRole("tabpanel", { name: "Files 6" }).textContent).toMatch(/1\d\d,\d{3} lines/),
    );
    expect(text.querySelectorAll("[data-block]").length).toBeLessThan(60);
    // What came with the later pages was there before the document was opened.
    expect(screen.queryByTestId("new-lines")).toBeNull();
  });
});

describe("a log", () => {
  it("stays at its end although its last entry is taller than guessed", async () => {
    const host = sampleHost();
    const row = host.rows().find((one) => one.title.startsWith(TITLE))!;
    host.documents.write(row, "debug.log", Array(20).fill('{"hid":"H1"}'));
    const text = await openDocument(host, "debug.log");
    // 20 entries of a guessed 31 pixels each, with the last one 160 pixels taller than that.
    Object.defineProperties(text, {
      clientHeight: { value: 300 },
      scrollHeight: { value: 620 + 160 },
    });
    text.scrollTop = 320;
    await fireEvent.scroll(text);
    host.documents.add(row, "debug.log", ['{"hid":"H2"}']);
    host.write(row.key, {});
    await waitFor(() =>
      expect(screen.getByRole("tabpanel", { name: "Files 6" }).textContent).toContain("21 entries"),
    );
    expect(screen.queryByTestId("new-lines")).toBeNull();
  });

  it("is a table of its entries, with the lines that are none", async () => {
    const text = await openText(
      ['{"hid":"H1","ts":1769049600000,"x":{"a":1}}', "not json", "", '{"hid":"<b>"}'],
      "debug.log",
    );
    const heads = [...text.querySelectorAll('[role="columnheader"]')].map((one) => one.textContent);
    expect(heads).toEqual(["Line", "hid", "ts", "x"]);
    expect(text.textContent).toContain("not json");
    expect(text.textContent).toContain('{"a":1}');
    expect(text.textContent).toContain("<b>");
    expect(text.querySelector("b")).toBeNull();
    await click(screen.getByRole("radio", { name: "Source" }));
    await waitFor(() => expect(screen.getByTestId("document").textContent).toContain('"ts":1769049600000'));
  });

  it("is text when it holds no entries", async () => {
    const host = sampleHost();
    host.documents.write(
      host.rows().find((row) => row.title.startsWith(TITLE))!,
      "debug.log",
      ["one", "two"],
    );
    host.open = keyOf(host, TITLE);
    await mountApp(host);
    await click(await screen.findByRole("tab", { name: /^Files/ }));
    await click(await screen.findByTestId("doc-debug.log"));
    await waitFor(() => expect(screen.getByTestId("document").textContent).toContain("two"));
    expect(screen.queryByTestId("show-entries")).toBeNull();
  });

  it("has no column that every object has", () => {
    const entry = entryOf('{"a":1}', 1);
    expect(textsOfEntry(entry, ["constructor", "a"])).toEqual(["", "1", ""]);
    expect(logColumns([entryOf('{"__proto__":{"x":1},"b":2}', 1)])).toContain("b");
  });
});

function pageOf(lines: readonly string[], first: number, count: number): SourcePage {
  const size = lines.length * 10;
  return {
    file: "f",
    first,
    lines: lines.slice(first - 1, first - 1 + count),
    total: lines.length,
    size,
    log: false,
    lossy: false,
  };
}

describe("reading a document", () => {
  it("reads only the end of a log that grew, and all of one that was written anew", async () => {
    let lines = Array.from({ length: 4_500 }, (_, index) => `line ${index}`);
    const asked: number[] = [];
    const text = new DocText(async (first, count) => {
      asked.push(first);
      return pageOf(lines, first, count);
    }, true);
    await text.read();
    expect(text.lines).toEqual(lines);
    asked.length = 0;
    lines = [...lines.slice(0, -1), "line 4499 is whole now", "and more"];
    await text.read();
    expect(asked).toEqual([4_499]);
    expect(text.lines).toEqual(lines);
    lines = [...lines.map((line) => `${line}!`), "longer"];
    await text.read();
    expect(text.lines).toEqual(lines);
    lines = ["other"];
    await text.read();
    expect(text.lines).toEqual(["other"]);
  });

  it("keeps what is there when a read fails, and says why", async () => {
    let fails = false;
    const text = new DocText(async (first, count) => {
      if (fails) throw { kind: "unreadable", args: { path: "f" }, refusal: null };
      return pageOf(["a"], first, count);
    }, false);
    await text.read();
    fails = true;
    await text.read();
    expect([text.lines, text.failure?.kind]).toEqual([["a"], "unreadable"]);
  });

  it("does not take in what is too long, nor wait for a text that became shorter", async () => {
    const long = new DocText(async (first) => ({ ...pageOf(["x"], first, 1), total: MOST_LINES + 1 }), false);
    await long.read();
    expect([long.tooLong, long.lines]).toEqual([true, []]);
    const short = new DocText(async (first) => ({ ...pageOf(["x"], first, 1), total: 50 }), false);
    await short.read();
    expect(short.lines).toEqual(["x"]);
  });
});

describe("sections", () => {
  const LINES = ["# a", "b", "```", "# no heading", "", "```", "## c", "d"];

  it("begin at headings, never within code", () => {
    const sections = sectionsOf(LINES);
    expect(sections.map(({ first, end }) => [first, end])).toEqual([
      [0, 6],
      [6, 8],
    ]);
  });

  it("go on with code that is longer than a section", () => {
    const lines = ["```ts", ...Array.from({ length: 700 }, (_, index) => `# ${index}`), "```", "end"];
    const sections = sectionsOf(lines);
    expect(sections.length).toBeGreaterThan(2);
    const kinds = sections.flatMap((one) =>
      parseMarkdown(textOfSection(lines, one)).map((block) => block.kind),
    );
    expect(kinds.slice(0, -1).every((kind) => kind === "code")).toBe(true);
    expect(kinds.at(-1)).toBe("paragraph");
  });

  it("hold every line once, whatever the text", () => {
    const line = fc.constantFrom(
      "",
      "# h",
      "```",
      "~~~~",
      "- a",
      "text",
      "    code",
      "| a |",
      "1. x",
      "```js",
    );
    fc.assert(
      fc.property(fc.array(line, { maxLength: 900 }), (lines) => {
        const sections = sectionsOf(lines);
        expect(sections.flatMap((one) => lines.slice(one.first, one.end))).toEqual(lines);
        expect(new Set(sections.map((one) => one.key)).size).toBe(sections.length);
      }),
      { numRuns: 40 },
    );
  });

  it("know the addresses that are named elsewhere in the document", () => {
    const lines = ["[one]", "", "[one]: https://example.org/1"];
    const blocks = parseMarkdown("[one]", referencesOf(lines));
    expect(JSON.stringify(blocks)).toContain("https://example.org/1");
  });
});

describe("finding", () => {
  it("marks exactly what it counts, and loses no letter", () => {
    const text = fc.string({ unit: fc.constantFrom("a", "A", "b", "İ", " ", "é") });
    fc.assert(
      fc.property(text, fc.string({ unit: fc.constantFrom("a", "b", "İ"), maxLength: 3 }), (all, query) => {
        const pieces = piecesOf(all, query);
        expect(pieces.map((one) => one.text).join("")).toBe(all);
        expect(pieces.filter((one) => one.hit)).toHaveLength(hitsIn(1, () => [all], query).length);
      }),
    );
  });

  it("looks through the text of a document as it is drawn", () => {
    const blocks = parseMarkdown("# a *b*\n\n| c |\n|---|\n| `d` |\n\n> - e\n\n```\nf\n```");
    expect(textsOf(blocks)).toEqual(["a ", "b", "c", "d", "e", "f"]);
  });

  it("finds its way in forty thousand entries", () => {
    const row = sampleHost().rows()[0]!;
    const entries = logLines(row, 0, 40_000).map(entryOf);
    const columns = logColumns(entries);
    expect(hitsIn(entries.length, (unit) => textsOfEntry(entries[unit]!, columns), "H1")).toHaveLength(5_000);
  });
});
