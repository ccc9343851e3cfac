import fc from "fast-check";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { AtomView, LoopDetail, TaskView } from "../src/host/bindings";
import { drawn } from "../src/host/sample-drawing";
import { sampleDetail } from "../src/host/sample-details";
import { manyAtoms } from "../src/host/sample-graph";
import { withWork } from "../src/host/sample-units";
import {
  startView,
  COMFORTABLE,
  fit,
  LEGIBLE,
  inside,
  kept,
  reveal,
  seen,
  zoomAt,
  type Camera,
} from "../src/views/loop/graph/camera";
import { found, GraphView } from "../src/views/loop/graph/graph-view.svelte";
import { clipped, wrappedLines } from "../src/views/loop/graph/lines";
import { countText, graphMarkdown, unitMarkdown } from "../src/views/loop/graph/markdown";
import {
  above,
  closedAtFirst,
  filterOf,
  finished,
  needText,
  unitShape,
  shownFor,
  stateText,
  graphWork,
} from "../src/views/loop/graph/model";
import { outlineOf } from "../src/views/loop/graph/outline";
import type { Palette } from "../src/views/loop/graph/palette";
import { strokeOf } from "../src/views/loop/graph/paint";
import { escaped, svgOf } from "../src/views/loop/graph/picture";
import { edgeAt, entriesOf, hit, sceneOf, type SceneUnit } from "../src/views/loop/graph/scene";
import { shortened } from "../src/views/loop/graph/shortened";
import { climb, walk } from "../src/views/loop/graph/walk";
import { UI } from "./lists";
import { keyOf, sampleHost } from "./mount";

const host = sampleHost();
const row = host.rows().find((one) => one.key === keyOf(host, "Checkout"))!;
const checkout = sampleDetail(row);
const model = graphWork(checkout);
const large = (count: number): LoopDetail => withWork({ ...checkout, ...manyAtoms(count) });
const sceneFor = (detail: LoopDetail, direction: "down" | "right" = "down", closed: string[] = []) =>
  sceneOf(drawn(detail, direction, closed), graphWork(detail), direction);

describe("the work as a graph", () => {
  it("joins atoms with those that wait for them, their group, their parent and the trail", () => {
    const alt = model.byId.get("A4_alt")!;
    expect(alt).toMatchObject({ neededBy: ["A5"], group: "token_method", turns: [2], critical: true });
    expect(model.byId.get("A2")).toMatchObject({ children: ["A3"], progress: { done: 1, total: 1 } });
    expect(model.byId.get("A5")!.needs.map((need) => need.state)).toEqual(["resolved", "in_progress", null]);
    expect([...model.missing]).toEqual([["A99", ["A5"]]]);
  });

  it("takes tasks where there are no atoms, and shows words of nobody as they are written", () => {
    const [task] = sampleDetail(host.rows().find((one) => one.title.startsWith("Implement user"))!).tasks;
    const made = (id: string, more: Partial<TaskView>): TaskView => ({
      ...task!,
      id,
      depends_on: [],
      ...more,
    });
    const tasks = [
      made("t1", { status: "COMPLETED", state: "completed" }),
      made("t2", { status: "Odd one", state: "other", depends_on: ["t1", "t9", "t3"] }),
      made("t3", { status: " ", state: "other" }),
    ];
    const work = graphWork(withWork({ ...checkout, atoms: [], or_groups: [], decompositions: [], tasks }));
    expect(work.nodes.map(stateText)).toEqual(["Completed", "Odd one", "Not reported"]);
    expect(work.nodes.map(filterOf)).toEqual(["completed", "other Odd one", "other  "]);
    const [, second] = work.nodes;
    expect(second?.needs.map((need) => [need.state, need.satisfied, needText(work, need)])).toEqual([
      ["completed", true, "Completed"],
      [null, false, "doesn’t exist"],
      ["other", false, "Not reported"],
    ]);
    expect(countText(work)).toBe("1 of 3 atoms resolved");
  });

  it("stops where units lie in each other in a circle, lead nowhere or are there twice", () => {
    const [a1, a2, a3] = checkout.work!.units;
    const units = [
      { ...a1!, parent: "A3", children: ["A2", "A2", "A9"] },
      { ...a2!, parent: "A1", children: ["A3"] },
      { ...a3!, parent: "A2", children: ["A1"] },
      { ...a1!, parent: null },
      { ...a1!, at: 99 },
      { ...a1!, at: 4, parent: null, children: ["A1", "A5"] },
    ];
    const work = graphWork({ ...checkout, work: { ...checkout.work!, units } });
    expect(work.nodes.map((node) => node.id)).toEqual(["A1", "A2", "A3", "A4_alt"]);
    expect(above(work, "A1")).toEqual(["A3", "A2", "A1"]);
    const lines = outlineOf(work, new Set(), null);
    expect(lines.map(({ node }) => node.id)).toEqual(["A4_alt", "A1", "A2", "A3"]);
    const told = graphMarkdown(work, "x").split("\n");
    expect(told.filter((line) => /^\s*- \*\*/.test(line))).toHaveLength(4);
  });

  it("keeps its shape while only statuses change", () => {
    const next = { ...checkout, atoms: checkout.atoms.map((atom) => ({ ...atom, state: "ready" as const })) };
    expect(unitShape(graphWork(withWork(next)))).toBe(unitShape(model));
    expect(unitShape(graphWork(withWork({ ...next, atoms: next.atoms.slice(1) })))).not.toBe(
      unitShape(model),
    );
  });
});

describe("containers", () => {
  it("of a large graph are closed when they are done or below the second level, and only there", () => {
    expect(closedAtFirst(model).size).toBe(0);
    const work = graphWork(large(212));
    const closed = closedAtFirst(work);
    expect(closed.size).toBeGreaterThan(5);
    const isClosed = (one: string) =>
      work.byId.get(one)!.depth >= 1 || work.byId.get(one)!.progress!.finished;
    expect([...closed].every(isClosed)).toBe(true);
    // Between the two sizes only what is done is closed.
    const some = graphWork(large(45));
    expect([...closedAtFirst(some)].sort()).toEqual(finished(some).sort());
    const view = new GraphView();
    const [first] = closed;
    const child = work.byId.get(first!)!.children[0]!;
    expect(shownFor(work, child, view.closed(work))).toBe(first);
    view.uncover(work, child);
    expect(shownFor(work, child, view.closed(work))).toBe(child);
    view.showAll();
    expect(view.closed(work).size).toBe(0);
  });

  it("whose work is done are closed together, and opened again", () => {
    const view = new GraphView();
    expect(finished(model)).toEqual(["A2"]);
    view.tidy(model);
    expect([...view.closed(model)]).toEqual(["A2"]);
    view.tidy(model);
    expect(view.closed(model).size).toBe(0);
  });
});

describe("what stands out on the drawing", () => {
  const atom = (id: string, needs: readonly string[]): AtomView => ({
    ...checkout.atoms[0]!,
    id,
    description: `Do ${id}`,
    parent: null,
    or_group: null,
    depends_on: needs.map((need) => ({ id: need, known: true, satisfied: false, status: "" })),
  });
  const of = (atoms: AtomView[]): LoopDetail =>
    withWork({ ...checkout, atoms, or_groups: [], decompositions: [] });
  const plain = { meaning: {}, font: "x", danger: "RED", attention: "AMBER", edge: "GREY" } as Palette;

  it("draws what is missing as a ghost that nobody can choose, with its name in pictures", () => {
    const scene = sceneFor(of([atom("a", []), atom("b", ["a", "gone"])]));
    expect(scene.ghosts.map((ghost) => ghost.id)).toEqual(["gone"]);
    expect(scene.edges.map((edge) => [edge.from, edge.ghost])).toEqual([
      ["a", false],
      ["gone", true],
    ]);
    const { x, y } = scene.ghosts[0]!.place;
    expect(hit(scene, x + 4, y + 4)).toBeNull();
    expect(walk(scene, "b", "ArrowUp")).toBe("a");
    expect(svgOf(scene, plain, "x", "en")).toContain(">gone: doesn’t exist<");
  });

  it("marks every edge of a circle, and no other", () => {
    const scene = sceneFor(of([atom("a", ["c"]), atom("b", ["a"]), atom("c", ["b"]), atom("d", ["c"])]));
    const said = scene.edges.map((edge) => `${edge.from}${edge.to} ${strokeOf(edge, plain).color}`);
    expect(said).toEqual(["ca RED", "ab RED", "bc RED", "cd GREY"]);
  });

  it("makes one line of each of many siblings", () => {
    const many = Array.from({ length: 9 }, (_, at) => atom(`s${at}`, ["a"]));
    const compact = (detail: LoopDetail) => sceneFor(detail).units.filter((unit) => unit.compact).length;
    expect(compact(of([atom("a", []), ...many.slice(1)]))).toBe(0);
    expect(compact(of([atom("a", []), ...many]))).toBe(9);
    const page = svgOf(sceneFor(of([atom("a", []), ...many])), plain, "x", "en");
    expect(page).toContain(">s3  Do s3<");
  });
});

describe("the camera", () => {
  const view = { width: 900, height: 500 };
  const camera = fc.record({
    x: fc.integer({ min: -5000, max: 5000 }),
    y: fc.integer({ min: -5000, max: 5000 }),
    zoom: fc.double({ min: 0.05, max: 2, noNaN: true }),
  });

  it("zooms around the pointer", () => {
    fc.assert(
      fc.property(camera, fc.double({ min: 0.05, max: 2, noNaN: true }), (from, zoom) => {
        const next = zoomAt(from, zoom, 300, 200);
        const under = (one: Camera) => [(300 - one.x) / one.zoom, (200 - one.y) / one.zoom];
        expect(under(next)[0]).toBeCloseTo(under(from)[0]!, 4);
        expect(under(next)[1]).toBeCloseTo(under(from)[1]!, 4);
      }),
    );
  });

  it("fits everything, and never enlarges", () => {
    const small = fit({ width: 200, height: 100 }, view);
    expect(small.zoom).toBe(1);
    const all = { x: 0, y: 0, w: 2000, h: 1500 };
    expect(inside(seen(fit({ width: all.w, height: all.h }, view), view), all)).toBe(true);
    // Twenty-five units in the smallest window: no last one is left outside.
    const little = { width: 704, height: 319 };
    const long = { x: 0, y: 0, w: 2510, h: 700 };
    const roots = { x: 0, y: 300, w: 208, h: 72 };
    expect(inside(seen(fit({ width: long.w, height: long.h }, little, roots), little), long)).toBe(true);
  });

  it("stays readable where everything would be too small, and begins where the work does", () => {
    const wide = { width: 90_000, height: 40_000 };
    for (const roots of [
      { x: 0, y: 20_000, w: 208, h: 72 },
      { x: 44_000, y: 0, w: 700, h: 72 },
      { x: 0, y: 0, w: 208, h: 72 },
      { x: 89_700, y: 39_900, w: 208, h: 72 },
    ]) {
      const camera = fit(wide, view, roots);
      expect(camera.zoom).toBe(LEGIBLE);
      expect(inside(seen(camera, view), roots)).toBe(true);
    }
    // One row of thousands is as high as it is: it lies in the middle.
    const row = fit({ width: 90_000, height: 72 }, view, { x: 0, y: 0, w: 208, h: 72 });
    expect(row.x).toBeGreaterThan(0);
    expect(row.y).toBeCloseTo((view.height - 72 * LEGIBLE) / 2);
  });

  it("shows what a person walks to, and never loses the drawing", () => {
    fc.assert(
      fc.property(camera, (from) => {
        const place = { x: 700, y: 300, w: 208, h: 72 };
        expect(inside(seen(reveal({ ...from, zoom: 1 }, place, view), view), place)).toBe(true);
        const drawing = { width: 2000, height: 1000 };
        const part = seen(kept(from, drawing, view), view);
        expect(part.x < drawing.width && part.x + part.w > 0).toBe(true);
        expect(part.y < drawing.height && part.y + part.h > 0).toBe(true);
      }),
    );
  });

  it("enters a large drawing where something is done, at a size that can be read", () => {
    const start = { x: 9000, y: 4000, w: 208, h: 72 };
    const begins = startView({ width: 20_000, height: 9000 }, view, [start]);
    expect(begins.zoom).toBe(COMFORTABLE);
    expect(inside(seen(begins, view), start)).toBe(true);
  });

  it("begins with everything as long as no text gets smaller than 11 pixels", () => {
    const sizes = ["GraphNode", "GraphFrame", "GraphGhost"].flatMap((name) => {
      const source = readFileSync(join(UI, `src/views/loop/graph/${name}.svelte`), "utf8");
      return [...source.matchAll(/font-size: (\d+)px/g)].map(([, size]) => Number(size));
    });
    expect(Math.min(...sizes) * COMFORTABLE).toBeGreaterThanOrEqual(11);
    const room = { width: view.width - 48, height: view.height - 48 };
    const nearly = { width: room.width / COMFORTABLE - 1, height: room.height / COMFORTABLE - 1 };
    const end = { x: nearly.width - 208, y: nearly.height - 72, w: 208, h: 72 };
    const all = { x: 0, y: 0, w: nearly.width, h: nearly.height };
    expect(inside(seen(startView(nearly, view, [end]), view), all)).toBe(true);
    // A little more, and it is read rather than seen whole: from the side at which something is done.
    const more = { width: nearly.width + 40, height: nearly.height };
    const begins = startView(more, view, [{ ...end, x: more.width - 208 }]);
    expect(begins.zoom).toBe(COMFORTABLE);
    expect(begins.x + more.width * begins.zoom).toBeCloseTo(view.width - 24);
    // The other axis still fits: all of it is in the middle.
    expect(begins.y).toBeCloseTo((view.height - more.height * begins.zoom) / 2);
  });

  it("sees what is too large for the window from its beginning", () => {
    const start = { x: 3000, y: 10, w: 9000, h: 72 };
    const begins = startView({ width: 20_000, height: 300 }, view, [start]);
    expect(begins.x + start.x * begins.zoom).toBeCloseTo(24);
  });

  it("shows as much of what is in progress as there is room for, and always the first", () => {
    const at = (x: number, y: number) => ({ x, y, w: 208, h: 72 });
    const drawing = { width: 20_000, height: 9000 };
    const [first, far, near] = [at(9000, 4000), at(200, 100), at(9400, 4200)];
    const part = seen(startView(drawing, view, [first, far, near]), view);
    expect([first, far, near].map((place) => inside(part, place))).toEqual([true, false, true]);
  });

  it("enters at all that is in progress, else at what is ready, with what is next to it", () => {
    const scene = sceneFor(checkout);
    const placeOf = (id: string) => scene.places.get(id)!;
    expect(entriesOf(scene, "A1")).toEqual([placeOf("A1")]);
    const around = (of: typeof scene, id: string) => {
      const ends = of.edges.filter(({ from, to }) => from === id || to === id);
      return new Set([id, ...ends.map(({ from, to }) => (from === id ? to : from))]);
    };
    const entered = around(scene, "A4_alt");
    expect(entered.size, "it has neighbours").toBeGreaterThan(1);
    expect(entriesOf(scene, null)).toEqual([...entered].map(placeOf));
    const idle = checkout.atoms.map((atom) =>
      atom.state === "in_progress" ? { ...atom, state: "blocked" as const, status: "pending" } : atom,
    );
    const waiting = sceneFor(withWork({ ...checkout, atoms: idle }));
    expect(entriesOf(waiting, null)[0]).toBe(waiting.places.get("A7"));
  });
});

describe("the critical path", () => {
  it("is the dependencies along it, through containers, and no other between units that are on it", () => {
    const scene = sceneFor({ ...checkout, critical_path: ["A3", "A5"] });
    const taken = scene.edges.filter((edge) => edge.critical).map(({ from, to }) => [from, to]);
    // A5 waits for the container of A3.
    expect(taken).toHaveLength(1);
    expect([
      ["A3", "A5"],
      ["A2", "A5"],
    ]).toContainEqual(taken[0]);
    const apart = sceneFor({ ...checkout, critical_path: ["A1", "A7", "A5"] });
    expect(apart.edges.filter((edge) => edge.critical).map(({ from, to }) => [from, to])).toEqual([
      ["A1", "A7"],
    ]);
  });

  it("numbers its units in the order in which they are to be done", () => {
    const steps = graphWork(checkout).nodes.flatMap(({ id, step }) => (step === null ? [] : [[id, step]]));
    expect(steps).toEqual([
      ["A4_alt", 1],
      ["A5", 2],
    ]);
  });
});

describe("keys", () => {
  const scene = sceneFor(checkout);

  it("follow edges forth and back, and go to neighbours across", () => {
    expect(walk(scene, "A4_alt", "ArrowDown")).toBe("A5");
    expect(["A3", "A4_alt"]).toContain(walk(scene, "A5", "ArrowUp"));
    const right = sceneFor(checkout, "right");
    expect(walk(right, "A4_alt", "ArrowRight")).toBe("A5");
    expect(walk(right, "A4_alt", "ArrowUp")).toBe("A4");
    expect(walk(scene, null, "ArrowDown")).toBe("A1");
  });

  it("go out to the container and into it", () => {
    expect(climb(model, "A3", "[")).toBe("A2");
    expect(climb(model, "A2", "]")).toBe("A3");
    expect(climb(model, "A1", "[")).toBeNull();
  });

  it("lead everywhere in a graph with a circle, without an end", () => {
    const atom = (id: string, need: string): AtomView => ({
      ...checkout.atoms[0]!,
      id,
      depends_on: [{ id: need, known: true, satisfied: false, status: "" }],
    });
    const circle = sceneFor(withWork({ ...checkout, atoms: [atom("a", "b"), atom("b", "a")] }));
    expect(circle.edges.some((edge) => edge.against)).toBe(true);
    expect(walk(circle, "a", "ArrowDown")).toBe("b");
    expect(walk(circle, "b", "ArrowDown")).toBe("a");
  });
});

describe("the pointer", () => {
  it("hits units, heads of containers and edges near it", () => {
    const scene = sceneFor(checkout);
    const at = scene.places.get("A5")!;
    expect(hit(scene, at.x + 4, at.y + 4)).toBe("A5");
    const frame = scene.places.get("A2")!;
    expect(hit(scene, frame.x + 20, frame.y + 10)).toBe("A2");
    const edge = scene.edges.find((one) => one.from === "A4_alt")!;
    const [x, y] = [edge.points.at(-2)!, edge.points.at(-1)!];
    expect(edgeAt(scene, x + 3, y - 2, 7)?.to).toBe("A5");
    expect(edgeAt(scene, x + 900, y, 7)).toBeNull();
  });
});

describe("the outline", () => {
  it("keeps what a shown unit is part of when it is filtered, also inside closed containers", () => {
    const lines = outlineOf(model, new Set(["A2"]), (node) => node.id === "A3");
    expect(lines.map(({ node, context, level }) => [node.id, context, level])).toEqual([
      ["A2", true, 1],
      ["A3", false, 2],
    ]);
    expect(outlineOf(model, new Set(["A2"]), null).map(({ node }) => node.id)).not.toContain("A3");
  });
});

describe("search", () => {
  it("has whole ids first, then ids, then texts", () => {
    expect(found(model, "a4")).toEqual(["A4", "A4_alt"]);
    expect(found(model, "TOKENS")).toEqual(["A4_alt"]);
    expect(found(model, "  ")).toEqual([]);
  });
});

describe("a saved picture", () => {
  const palette = { meaning: {}, font: "sans-serif" } as Palette;

  it("holds every text of the file as text", () => {
    const bad = '<script>alert(1)</script> & "x" \u0000';
    const detail = {
      ...checkout,
      atoms: checkout.atoms.map((atom) => ({ ...atom, description: bad, id: `${atom.id}<b>` })),
    };
    const scene = sceneOf(drawn(detail, "right"), graphWork(withWork(detail)), "right");
    const text = svgOf(scene, palette, bad, "en");
    const page = new DOMParser().parseFromString(text, "text/xml");
    expect(page.querySelector("parsererror")).toBeNull();
    expect(text).not.toMatch(/<script|<b>|\u0000/);
    expect(text).toContain("&lt;script&gt;");
    expect(text.match(/<g><title>/g)).toHaveLength(scene.units.length);
  });

  it("escapes whatever it is given", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        expect(escaped(text)).not.toMatch(/[<>"\u0000-\u0008]|&(?!amp;|lt;|gt;|quot;)/);
      }),
    );
  });

  it("breaks lines between words and, without words, anywhere", () => {
    const measure = (text: string) => text.length * 10;
    expect(wrappedLines("one two three four five", 2, 100, measure, "en")).toEqual(["one two", "three fou…"]);
    expect(wrappedLines("abcdefghijklmnop", 3, 50, measure, "en")).toEqual(
      ["abcde", "fghij", "klmn…"].map((line, at) => (at === 2 ? "klmn…" : line)),
    );
    expect(clipped("short", 100, measure)).toBe("short");
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.integer({ min: 1, max: 3 }), (text, count) => {
        const lines = wrappedLines(text, count, 80, measure, "ja");
        expect(lines.length).toBeLessThanOrEqual(count);
        for (const line of lines) expect(measure(line)).toBeLessThanOrEqual(90);
      }),
    );
  });
});

describe("the description of a unit on the drawing", () => {
  const ten = (text: string) => text.length * 10;
  const rulers = { text: ten, id: ten, word: ten, line: ten };
  const unit = (id: string, description: string, compact: boolean, state = "resolved") =>
    ({
      node: { id, description, state },
      place: { x: 0, y: 0, w: 184, h: 36 },
      closed: false,
      compact,
    }) as unknown as SceneUnit;

  it("ends with dots where the rest of its one line is full", () => {
    expect(shortened(unit("A593", "Do part 593 of the plan", true), "", rulers, "en")).toBe("Do part…");
    // The badge of what is ready takes some of the line, a word more, an id no more than its share.
    expect(shortened(unit("A", "Do partings now", true), "", rulers, "en")).toBe("Do parting…");
    expect(shortened(unit("A", "Do partings now", true, "ready"), "", rulers, "en")).toBe("Do partin…");
    expect(shortened(unit("A593", "Do part 593", true), "1/4", rulers, "en")).toBe("Do pa…");
    const closed = { ...unit("A593", "Do part 593", true), closed: true };
    expect(shortened(closed, "", rulers, "en")).toBe("Do par…");
    expect(shortened(unit("A".repeat(90), "Do part 593", true), "", rulers, "en")).toBe("Do p…");
    expect(shortened(unit("A1", " Do\n it ", true), "", rulers, "en")).toBe("Do it");
  });

  it("has two lines where there is room for them", () => {
    expect(shortened(unit("A593", "Do part 593 of the plan and more", false), "", rulers, "en")).toBe(
      "Do part 593 of\nthe plan and mo…",
    );
  });

  it("never ends with half of a sign", () => {
    expect(shortened(unit("A593", "Do 𝒳𝒳𝒳𝒳𝒳", true), "", rulers, "en")).toBe("Do 𝒳𝒳…");
    expect(shortened(unit("A593", "Do i𝒳𝒳𝒳𝒳", true), "", rulers, "en")).toBe("Do i𝒳𝒳…");
  });
});

describe("as Markdown", () => {
  it("the graph is a nested list with statuses, and what is missing", () => {
    const text = graphMarkdown(model, "Checkout *now*");
    expect(text).toContain("## Checkout \\*now\\*");
    expect(text).toContain("  - **`A3`** Password hashing with argon2 · Resolved");
    expect(text).toContain("`A4_alt` (In progress)");
    expect(text).toContain("`A5`: waits for `A99`, which doesn’t exist");
  });

  it("one unit has its blockers, its branch and its result", () => {
    const text = unitMarkdown(model, model.byId.get("A5")!);
    expect(text).toContain("### `A5` Login endpoint");
    expect(text).toContain("Waits for `A99`, which doesn’t exist");
    expect(unitMarkdown(model, model.byId.get("A4")!)).toContain("JWT failed: key rotation breaks refresh");
    expect(unitMarkdown(model, model.byId.get("A1")!)).toContain("`src/models/user.ts`");
  });
});
