import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sampleRows } from "../src/host/memory";
import {
  underHeadings,
  headingPlaces,
  isHeading,
  inGroupOrder,
  shownGroup,
  withRowHeld,
  type Entry,
} from "../src/state/arrange";
import { Cell } from "../src/state/catalog.svelte";
import {
  compileFilter,
  filterText,
  hasToken,
  parseFilter,
  toggleToken,
  type FilterScene,
  type Token,
} from "../src/state/filter";
import { SearchText } from "../src/state/search-text";
import { formatNames } from "../src/words/phrases";
import { CATALOGUES } from "./catalogues";

const workspaces = new Map([
  ["w1", "storefront"],
  ["w2", "billing-core"],
  ["w3", "docs-site"],
]);
const now = Date.now();
/** No loop asks anything. */
const NONE: ReadonlySet<string> = new Set();
const cells = sampleRows(now).map((row) => new Cell(row));
const scene: FilterScene = {
  groupOf: (row) => shownGroup(row, {}, NONE),
  workspaces,
  statusWords: CATALOGUES["zh-CN"].status,
  formatWords: formatNames(),
  texts: () => new SearchText(cells.map(({ haystack }) => haystack)),
};

function titles(filter: string): string[] {
  const matches = compileFilter(parseFilter(filter), scene);
  return cells.filter(matches).map((cell) => cell.row.title);
}

describe("filter tokens", () => {
  it("reads fields, quotes, negation and words", () => {
    expect(parseFilter('s:failed !f:aot w:"my repo" login')).toEqual([
      { field: "s", value: "failed", not: false },
      { field: "f", value: "aot", not: true },
      { field: "w", value: "my repo", not: false },
      { field: null, value: "login", not: false },
    ]);
  });

  it("ignores what is still being typed", () => {
    expect(parseFilter("s: !")).toEqual([]);
  });

  it("takes a colon after another word as text", () => {
    expect(parseFilter("https://x")).toEqual([{ field: null, value: "https://x", not: false }]);
  });

  it("writes tokens so that they read back the same", () => {
    const token = fc.record({
      field: fc.constantFrom("s", "f", "w", "is", "p", "t", null) as fc.Arbitrary<Token["field"]>,
      value: fc
        .stringMatching(/^[a-z0-9\u4e00-\u4e20][a-z0-9 \u4e00-\u4e20-]{0,12}$/)
        .map((text) => text.trim()),
      not: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(token, { maxLength: 5 }), (tokens) => {
        expect(parseFilter(filterText(tokens))).toEqual(tokens);
      }),
    );
  });

  it("never throws on any text", () => {
    fc.assert(fc.property(fc.string(), (text) => Array.isArray(titles(text))));
  });

  it("toggles a token without touching the rest", () => {
    const attention: Token = { field: "is", value: "attention", not: false };
    const on = toggleToken("login", attention);
    expect(on).toBe("login is:attention");
    expect(hasToken(on, attention)).toBe(true);
    expect(toggleToken(on, attention)).toBe("login");
  });
});

describe("what a filter keeps", () => {
  it.each([
    ["s:failed", ["Upgrade the build to Node 22", "Rewrite the importer"]],
    ["s:interrupted", ["Rate-limit the login endpoint"]],
    // The window's language has words for the statuses too.
    [`s:${CATALOGUES["zh-CN"].status.interrupted}`, ["Rate-limit the login endpoint"]],
    ["f:aot", ["Migrate sessions to Redis", "Checkout: JWT or session tokens"]],
    ["f:b", ["Dark mode for the docs site", "Translate the guides"]],
    ["p:high t:urgent", ["Rate-limit the login endpoint"]],
    ["is:problem", ["loop-v2-20260122T020000-3fa91c0e"]],
    [
      "is:readonly",
      ["loop-v2-20260122T020000-3fa91c0e", "Nightly dependency audit", "Login redesign (first attempt)"],
    ],
    ["is:requested", ["Dark mode for the docs site"]],
    ["redis sessions", ["Migrate sessions to Redis"]],
  ])("%s", (filter, expected) => expect(titles(filter)).toEqual(expected));

  it("takes several values of one field as alternatives", () => {
    expect(titles("is:attention is:finished")).toHaveLength(
      titles("is:attention").length + titles("is:finished").length,
    );
  });

  it("takes away what is negated", () => {
    expect(titles("!s:done")).toHaveLength(cells.length - 2);
    expect(titles("w:storefront !w:storefront")).toEqual([]);
  });
});

describe("texts that are looked through", () => {
  it("have a word where each of them has it, and never across two of them", () => {
    const letters = fc.stringMatching(/^[ab\u4e00]{0,6}$/);
    fc.assert(
      fc.property(
        fc.array(letters, { maxLength: 12 }),
        fc.array(fc.stringMatching(/^[ab\u4e00]{1,3}$/), { minLength: 1, maxLength: 20 }),
        (texts, words) => {
          const search = new SearchText(texts);
          for (const word of words) {
            expect([...search.having(word)]).toEqual(texts.map((text) => Number(text.includes(word))));
          }
        },
      ),
    );
  });
});

describe("traits of a row", () => {
  it("follow the row when it changes", () => {
    const [{ row }] = cells as [Cell];
    const cell = new Cell({ ...row, word: "running", file_word: "running", format: "loop_v2" });
    const found = (filter: string) => compileFilter(parseFilter(filter), scene)(cell, 0);
    expect([found("s:running"), found("f:aot")]).toEqual([true, false]);
    cell.set({ ...row, word: "failed", file_word: "stopped", format: "aot" });
    expect([found("s:running"), found("s:failed"), found("s:stopped"), found("f:aot")]).toEqual([
      false,
      true,
      true,
      true,
    ]);
  });
});

describe("groups", () => {
  const collator = new Intl.Collator("en");
  const all = () => true;

  it("follow each other in the order of attention, newest change first", () => {
    const entries = underHeadings(
      inGroupOrder(cells, "status", (row) => shownGroup(row, {}, NONE), collator),
      all,
    );
    const headings = entries.filter(isHeading).map((heading) => heading.group);
    expect(headings).toEqual(["attention", "active", "idle", "finished"]);
    const inGroup = entries.slice(
      1,
      entries.findIndex((entry, index) => index > 0 && isHeading(entry)),
    ) as Cell[];
    const ages = inGroup.map((cell) => cell.row.changed);
    expect(ages).toEqual([...ages].sort((a, b) => b - a));
  });

  it("count every loop exactly once", () => {
    const entries = underHeadings(
      inGroupOrder(cells, "status", (row) => shownGroup(row, {}, NONE), collator),
      all,
    );
    const counted = entries.filter(isHeading).reduce((sum, heading) => sum + heading.count, 0);
    expect(counted).toBe(cells.length);
    expect(entries).toHaveLength(cells.length + 4);
  });

  it("keep their order when some loops are taken out, and count those that are left", () => {
    const placed = inGroupOrder(cells, "status", (row) => shownGroup(row, {}, NONE), collator);
    const whole = underHeadings(placed, all).filter((entry): entry is Cell => !isHeading(entry));
    const some = underHeadings(placed, (cell) => cell.row.format === "aot");
    expect(some.filter((entry) => !isHeading(entry))).toEqual(
      whole.filter((cell) => cell.row.format === "aot"),
    );
    const counted = some.filter(isHeading).reduce((sum, heading) => sum + heading.count, 0);
    expect(counted).toBe(some.filter((entry) => !isHeading(entry)).length);
    expect(underHeadings(placed, () => false)).toEqual([]);
  });

  it("count what they are followed by, also around a row that is held where it was", () => {
    const placed = inGroupOrder(cells, "status", (row) => shownGroup(row, {}, NONE), collator);
    const cellsOf = (entries: readonly Entry[]) => entries.filter((entry) => !isHeading(entry)) as Cell[];
    const places = (entries: readonly Entry[]) =>
      entries.flatMap((entry, place) => (isHeading(entry) ? [place] : []));
    const asking = fc.subarray(cells.map(({ key }) => key));
    fc.assert(
      fc.property(
        fc.subarray(cells, { minLength: 1 }),
        fc.subarray(cells),
        asking,
        fc.nat(),
        (was, is, keys, at) => {
          const shown = underHeadings(placed, (cell) => was.includes(cell));
          const asks = new Set(keys);
          const after = inGroupOrder(cells, "status", (row) => shownGroup(row, {}, asks), collator);
          const fresh = underHeadings(after, (cell) => is.includes(cell));
          const row = was[at % was.length]!;
          const held = withRowHeld(shown, fresh, row);
          expect(headingPlaces(held)).toEqual(places(held));
          expect(cellsOf(held).filter((cell) => cell !== row)).toEqual(
            cellsOf(fresh).filter((cell) => cell !== row),
          );
          expect(cellsOf(held)).toContain(row);
          expect(held.indexOf(row)).toBe(Math.min(shown.indexOf(row), held.length - 1));
        },
      ),
    );
  });

  it("are those that need the person as long as they ask something, whatever their status", () => {
    const row = cells.find((cell) => cell.row.group === "active")!.row;
    expect(shownGroup(row, {}, NONE)).toBe("active");
    expect(shownGroup(row, { [row.key]: row.changed }, new Set([row.key]))).toBe("attention");
  });

  it("let a failed loop leave attention once it was opened, until it changes again", () => {
    const failed = cells.find((cell) => cell.row.word === "failed")!.row;
    expect(shownGroup(failed, {}, NONE)).toBe("attention");
    expect(shownGroup(failed, { [failed.key]: failed.changed }, NONE)).toBe("idle");
    const later = { ...failed, changed: failed.changed + 1 };
    expect(shownGroup(later, { [failed.key]: failed.changed }, NONE)).toBe("attention");
  });

  it("keep an interrupted loop in attention however often it is opened", () => {
    const row = cells.find((cell) => cell.row.word === "interrupted")!.row;
    expect(shownGroup(row, { [row.key]: row.changed }, NONE)).toBe("attention");
  });

  it("sort by title as the language does", () => {
    const sorted = underHeadings(
      inGroupOrder(cells, "title", (row) => row.group, collator),
      all,
    ).slice(1) as Cell[];
    expect(sorted[0]?.row.title).toBe("Cache the product list");
  });
});
