import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { DebugView, HypothesisView, PastChange, RankedBy, TestTablePage } from "../src/host/bindings";
import { MemoryHost } from "../src/host/memory";
import { debugSection, manyHypotheses } from "../src/host/sample-board";
import {
  cardsOf,
  boardColumns,
  findCard,
  lanesIn,
  type Card,
  type Column,
} from "../src/views/loop/board/cards";
import { boardAsMarkdown, cardAsMarkdown } from "../src/views/loop/board/copy";
import { preview, readEvidence, type Value } from "../src/views/loop/board/evidence";
import { failingOf } from "../src/views/loop/board/failing";
import { fileAndLine } from "../src/views/loop/board/location";
import { moveFocus } from "../src/views/loop/board/moves";
import { hypothesisEvidence, rankText } from "../src/views/loop/board/phrases";
import { verdictText } from "../src/words/loop-phrases";
import { sortHypotheses, SORT_BY } from "../src/views/loop/board/sort";
import { verdictsOn } from "../src/views/loop/board/verdicts";
import { language } from "../src/words/language.svelte";
import { sampleHost } from "./mount";

const row = sampleHost().rows()[0]!;
const debug: DebugView = debugSection(row);
const cards = cardsOf(debug.hypotheses);
const like = (patch: Partial<HypothesisView>): Card =>
  cardsOf([{ ...debug.hypotheses[0]!, log_total: 0, evidence: null, evidence_count: 0, ...patch }])[0]!;

describe("a logging point", () => {
  it("is copied as editors take it", () => {
    expect(fileAndLine({ file: "src/limit/key.ts", line: 31 })).toBe("src/limit/key.ts:31");
    expect(fileAndLine({ file: "src/a.ts", line: null })).toBe("src/a.ts");
  });
});

describe("the columns", () => {
  it("are the verdicts that have cards, other words last", () => {
    expect(boardColumns(cards, []).map(({ id, cards: inside }) => [id, inside.length])).toEqual([
      ["pending", 2],
      ["confirmed", 1],
      ["rejected", 1],
      ["inconclusive", 1],
    ]);
    const other = cardsOf([
      ...debug.hypotheses,
      { ...debug.hypotheses[0]!, id: "H9", status: "parked", verdict: "other" },
    ]);
    expect(boardColumns(other, []).map(({ id }) => id)).toContain("other");
    expect(boardColumns(cards.slice(0, 1), []).map(({ id }) => id)).toEqual([cards[0]!.of.verdict]);
    expect(boardColumns(other, ["rejected", "other"]).map(({ id }) => id)).toEqual(["rejected", "other"]);
  });

  it("keep the order by likelihood", () => {
    const many = cardsOf(manyHypotheses(row, 60).hypotheses);
    const rejected = boardColumns(many, ["rejected"])[0]!.cards;
    expect(rejected.map((card) => card.at)).toEqual(rejected.map((card) => card.at).sort((a, b) => a - b));
  });

  it("hold every card once, whatever the ids are", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom("H1", "H1 (2)", "", "__proto__", "H2")), (ids) => {
        const all = cardsOf(ids.map((id) => ({ ...debug.hypotheses[0]!, id })));
        expect(new Set(all.map((card) => card.key)).size).toBe(ids.length);
        expect(boardColumns(all, []).flatMap((column) => column.cards)).toHaveLength(ids.length);
      }),
    );
  });

  it.each([
    [1008, 4, 4],
    [900, 4, 4],
    [880, 4, 2],
    [608, 4, 2],
    [430, 4, 1],
    [1008, 5, 3],
    [0, 4, 4],
    [200, 1, 1],
  ])("in %d px, of %d columns %d stand beside each other", (width, count, lanes) => {
    expect(lanesIn(width, count)).toBe(lanes);
  });
});

describe("the filter", () => {
  it.each([
    ["h2", ["H2"]],
    ["TENANT bucket", ["H2"]],
    ["store.ts:88", ["H3"]],
    ["touch()", ["H3"]],
    ["", ["H1", "H2", "H3", "H4", "H5"]],
    ["nowhere", []],
  ])("“%s” finds %j", (text, ids) => {
    expect(findCard(cards, text).map((card) => card.of.id)).toEqual(ids);
  });
});

describe("evidence is counted", () => {
  it("in the state and in the log apart", () => {
    expect(hypothesisEvidence(cards[1]!.of)).toBe("6 entries · 6 log lines");
    expect(hypothesisEvidence(like({ log_total: 7 }).of)).toBe("7 log lines");
    expect(hypothesisEvidence(like({ evidence_count: 1 }).of)).toBe("1 entry");
    expect(hypothesisEvidence(like({}).of)).toBe("No evidence yet");
  });
});

describe("the verdict", () => {
  it.each([
    ["rejected", "REJECTED", "Rejected"],
    ["other", "Parked", "Parked"],
    ["other", " ", "Not reported"],
  ] as const)("%s, written “%s”, is “%s”", (verdict, status, text) => {
    expect(verdictText({ verdict, status })).toBe(text);
  });
});

describe("the rank", () => {
  const rank = (by: RankedBy, order = 1) => ({ rank: { order, by } });

  it.each([
    [{ kind: "place", value: 1 }, "1st"],
    [{ kind: "place", value: 2 }, "2nd"],
    [{ kind: "place", value: 3 }, "3rd"],
    [{ kind: "place", value: 11 }, "11th"],
    [{ kind: "place", value: 22 }, "22nd"],
    [{ kind: "likelihood", value: 0.35 }, "Likelihood 0.35"],
    [{ kind: "confidence", value: "low" }, "Low confidence"],
  ] as const)("by %j is “%s”", (by, text) => {
    expect(rankText(rank(by))).toBe(text);
    expect(rankText({ rank: null })).toBe("");
  });

  it("is written as each language does", () => {
    language.id = "ja";
    expect(rankText(rank({ kind: "place", value: 1 }))).toBe("1 位");
  });
});

function board(...sizes: number[]): Column[] {
  const ids = ["pending", "confirmed", "rejected", "inconclusive"] as const;
  return sizes.map((size, column) => ({
    id: ids[column]!,
    cards: Array.from({ length: size }, (_, index) => ({ ...cards[0]!, key: `${column}.${index}` })),
  }));
}

describe("arrows", () => {
  it.each([
    ["0.0", 0, "ArrowDown", 4, "0.1"],
    ["0.2", 2, "ArrowDown", 4, "0.2"],
    ["0.0", 0, "ArrowUp", 4, "0.0"],
    ["0.2", 2, "ArrowRight", 4, "1.0"],
    ["1.0", 2, "ArrowLeft", 4, "0.2"],
    ["2.0", 0, "ArrowRight", 4, "2.0"],
    ["0.2", 2, "ArrowDown", 1, "1.0"],
    ["1.0", 0, "ArrowUp", 1, "0.2"],
    ["0.2", 2, "ArrowDown", 2, "2.0"],
    ["0.0", 0, "End", 4, "0.2"],
    ["0.2", 2, "Home", 4, "0.0"],
  ])("from %s (height %d), %s with %d beside each other leads to %s", (key, wish, arrow, lanes, to) => {
    expect(moveFocus(board(3, 1, 2), { key, wish }, arrow, lanes)?.key).toBe(to);
  });

  it("keep the height over shorter columns", () => {
    let spot = moveFocus(board(5, 1, 5), { key: "0.4", wish: 4 }, "ArrowRight", 3)!;
    expect(spot.key).toBe("1.0");
    spot = moveFocus(board(5, 1, 5), spot, "ArrowRight", 3)!;
    expect(spot.key).toBe("2.4");
  });

  it("lead to a card of the board or nowhere", () => {
    const arrows = fc.constantFrom("ArrowDown", "ArrowUp", "ArrowLeft", "ArrowRight", "Home", "End", "x");
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 4 }),
        fc.array(arrows),
        fc.integer({ min: 1, max: 4 }),
        (sizes, keys, lanes) => {
          const columns = board(...sizes);
          const all = columns.flatMap((column) => column.cards.map((card) => card.key));
          let spot = null as ReturnType<typeof moveFocus>;
          for (const key of keys) spot = moveFocus(columns, spot, key, lanes) ?? spot;
          if (spot) expect(all).toContain(spot.key);
        },
      ),
    );
  });
});

describe("the table", () => {
  const by = (...args: Parameters<typeof sortHypotheses> extends [unknown, infer S, unknown] ? [S] : never) =>
    sortHypotheses(cards, args[0], language.collator).map((card) => card.of.id);

  it("sorts by every column, in both directions", () => {
    expect(by({ by: "verdict", down: false })).toEqual(["H3", "H5", "H2", "H1", "H4"]);
    expect(by({ by: "id", down: true })).toEqual(["H5", "H4", "H3", "H2", "H1"]);
    expect(by({ by: "evidence", down: true })[0]).toBe("H2");
    expect(by({ by: "location", down: false })[0]).toBe("H1");
  });

  it("has what is missing last in both directions, and equal ones by likelihood", () => {
    const by = { kind: "confidence", value: "low" } as const;
    const some = cardsOf([
      like({ id: "a", rank: null }).of,
      like({ id: "b", rank: { order: 2, by } }).of,
      like({ id: "c", rank: { order: 1, by } }).of,
      like({ id: "d", rank: { order: 2, by } }).of,
    ]);
    const ids = (down: boolean) =>
      sortHypotheses(some, { by: "rank", down }, language.collator).map((card) => card.of.id);
    expect(ids(false)).toEqual(["c", "b", "d", "a"]);
    expect(ids(true)).toEqual(["b", "d", "c", "a"]);
  });

  it("loses no card", () => {
    const many = cardsOf(manyHypotheses(row, 80).hypotheses);
    for (const one of SORT_BY) {
      expect(new Set(sortHypotheses(many, { by: one, down: true }, language.collator)).size).toBe(80);
    }
  });
});

/** A value as JSON has it. */
function plainOf(value: Value): unknown {
  if (value.kind === "list") return value.entries.map((entry) => plainOf(entry.value));
  if (value.kind === "object") return value.entries.map((entry) => [entry.name, plainOf(entry.value)]);
  return value.kind === "text" ? value.text : JSON.parse(value.text);
}
function pairs(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(pairs);
  if (value === null || typeof value !== "object") return value;
  return Object.entries(value).map(([name, inner]) => [name, pairs(inner)]);
}

describe("evidence", () => {
  it("says what JSON says", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), fc.constantFrom(0, 2), (value, indent) => {
        const read = readEvidence(JSON.stringify(value, null, indent));
        expect(read?.cut).toBe(false);
        expect(JSON.stringify(plainOf(read!.value))).toBe(JSON.stringify(pairs(value)));
      }),
    );
  });

  it("keeps long numbers, names that mean something elsewhere, and doubled ones", () => {
    const read = readEvidence('{"id": 7205759403792793001, "__proto__": 1, "1": 2, "a": 3, "a": 4}')!;
    expect(
      "entries" in read.value &&
        read.value.entries.map(({ name, value }) => [name, "text" in value && value.text]),
    ).toEqual([
      ["id", "7205759403792793001"],
      ["__proto__", "1"],
      ["1", "2"],
      ["a", "3"],
      ["a", "4"],
    ]);
  });

  it("shows the beginning of what was cut, wherever that was", () => {
    const text = JSON.stringify(
      [{ hid: "H2", data: { tenant: "a", n: [1, 2.5, true, null] } }, "last"],
      null,
      2,
    );
    for (let end = 1; end < text.length; end += 1) {
      const read = readEvidence(`${text.slice(0, end)}…`);
      expect(read?.cut, text.slice(0, end)).toBe(true);
      expect(read?.value.kind).toBe("list");
    }
  });

  it.each([
    "the limiter ran first",
    "12 angry men",
    "null and void",
    "{a: 1}",
    "",
    "true story",
    "[1, 2,, 3]",
  ])("“%s” stays the text it is", (text) => expect(readEvidence(text)).toBeNull());

  it("reads any text without an end or an error", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom("{", "}", "[", "]", '"', "\\", ",", ":", "1", "a", " ", "…") }),
        (text) => {
          readEvidence(text);
        },
      ),
    );
    for (const deep of ["[".repeat(20_000), '{"a":'.repeat(4_000), "[".repeat(5_000) + "]".repeat(5_000)]) {
      expect(readEvidence(deep)?.value.kind).toMatch(/list|object/);
    }
  });

  it("has a short line for what is closed", () => {
    const read = readEvidence('{"a": {"b": 1}, "c": [1], "d": "x\\ny", "e": 1, "f": 2, "g": 3, "h": 4}')!;
    expect(preview(read.value)).toBe("a: {…}, c: […], d: x y, e: 1, f: 2, g: 3, …");
    expect([...preview({ kind: "text", text: "字".repeat(900) })]).toHaveLength(81);
  });
});

it("the failed tests of a file are asked for by the file", async () => {
  const host = new MemoryHost();
  let asked: unknown;
  host.tests = async (_, query) => {
    asked = query;
    const line = { kind: "test", name: "a", suite: "s", error: null };
    return { lines: [{ kind: "suite" }, line] } as unknown as TestTablePage;
  };
  expect(await failingOf(host, "k", 2, "src/limit/key.ts")).toEqual([{ suite: "s", name: "a", error: "" }]);
  expect(asked).toMatchObject({ run: 2, text: "", file: "src/limit/key.ts", chips: ["failed"] });
});

it("the history of a verdict is that of its hypothesis alone", () => {
  const change = (what: string, id: string, to: string) => ({ what, id, from: null, to });
  const past = [
    {
      id: 2,
      at: 20,
      who: "ours",
      cause: null,
      changes: [change("hypothesis", "H2", "confirmed"), change("task", "H1", "x")],
    },
    { id: 1, at: 10, who: "foreign", cause: null, changes: [change("hypothesis", "H1", "pending")] },
  ] as unknown as PastChange[];
  expect(verdictsOn(past, "H1").map(({ at, who, change: { to } }) => [at, who, to])).toEqual([
    [10, "foreign", "pending"],
  ]);
});

describe("as Markdown", () => {
  it("a card says all it knows", () => {
    const text = cardAsMarkdown(cards[0]!);
    expect(text).toContain("### H1 – The middleware runs after the handler");
    expect(text).toContain("- **Verdict**: Rejected");
    expect(text).toContain("- **Logging point**: `src/app.ts:use():54`");
    expect(text).toContain('```json\n{\n  "runs": 4,');
  });

  it("the board is a table in which nothing becomes markup", () => {
    const hostile = cardsOf([
      {
        ...debug.hypotheses[0]!,
        description: "a | b <b>\n# c",
        logging_point: "a|b.ts:f:1",
        place: { file: "a|b.ts", line: 1, column: null, name: "f" },
      },
    ]);
    const text = boardAsMarkdown(debug, hostile, 5);
    expect(text).toContain("**Root cause: H2** – The counter key drops the tenant id");
    expect(text).toContain("| a \\| b \\<b\\> \\# c | `a\\|b.ts:1` |");
    expect(text).toContain("1 of 5 shown");
    const table = text.split("\n").filter((line) => line.startsWith("|"));
    expect(table).toHaveLength(3);
  });
});
