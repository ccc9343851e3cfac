import { describe, expect, it, vi } from "vitest";
import { drawn } from "../src/host/sample-drawing";
import { sampleDetail } from "../src/host/sample-details";
import { manyAtoms } from "../src/host/sample-graph";
import { withWork } from "../src/host/sample-units";
import { overlap } from "../src/views/loop/graph/camera";
import { graphWork } from "../src/views/loop/graph/model";
import { nextNear, NOTHING, type Near } from "../src/views/loop/graph/near";
import type { Palette } from "../src/views/loop/graph/palette";
import { sceneOf } from "../src/views/loop/graph/scene";
import { Stage } from "../src/views/loop/graph/stage";
import { cellsOf, type Look } from "../src/views/loop/graph/tiles";
import { keyOf, sampleHost } from "./mount";

const host = sampleHost();
const detail = withWork({
  ...sampleDetail(host.rows().find((one) => one.key === keyOf(host, "Checkout"))!),
  ...manyAtoms(2_000),
});
const scene = sceneOf(drawn(detail, "down", []), graphWork(detail), "down");
const palette = { meaning: {}, font: "sans-serif" } as unknown as Palette;
const look: Look = { scene, palette, shines: () => true, selected: null, language: "en" };
const SIZE = { width: 1_000, height: 600 };
/** Does it until there is no more, or for ever. */
function settle(step: () => boolean): number {
  let frames = 1;
  for (; step(); frames++) if (frames > 2_000) throw new Error("it never ends");
  return frames;
}
const [view, around] = [
  { x: 0, y: 0, w: 1_000, h: 600 },
  { x: -2_000, y: -1_500, w: 5_000, h: 3_600 },
];

describe("work that changes a little", () => {
  const before = graphWork(detail);
  const first = sceneOf(drawn(detail, "down", []), before, "down");
  const id = first.units[0]!.node.id;
  const changed = {
    ...detail,
    atoms: detail.atoms.map((atom) => (atom.id === id ? { ...atom, summary: "Did it" } : { ...atom })),
  };
  const next = graphWork(changed, before);
  const after = sceneOf(drawn(changed, "down", []), next, "down", first);

  it("keeps the objects of all units and dependencies about which nothing changed", () => {
    const others = next.nodes.filter((node) => !before.nodes.includes(node)).map(({ id }) => id);
    expect(others).toEqual([id]);
    expect(after.units.filter((unit) => !first.units.includes(unit))).toHaveLength(1);
    expect(after.edges.every((edge) => first.edges.includes(edge))).toBe(true);
  });

  it("is painted again only where it looks unlike before", () => {
    const paints = vi.spyOn(HTMLCanvasElement.prototype, "getContext").mockReturnValue(null);
    const it = new Stage(document.createElement("div"), document.createElement("div"), () => {});
    const [camera, size] = [
      { x: 0, y: 0, zoom: 0.3 },
      { width: 1_000, height: 600 },
    ];
    const plain = { ...after, frames: [], ghosts: [] };
    settle(() => it.make(camera, size, { ...look, scene: { ...first, frames: [], ghosts: [] } }));
    const all = paints.mock.calls.length;
    settle(() => it.make(camera, size, { ...look, scene: plain }));
    const again = paints.mock.calls.length - all;
    expect(again).toBeGreaterThan(0);
    expect(again).toBeLessThan(all / 2);
    settle(() => it.make(camera, size, { ...look, scene: plain, selected: "A1" }));
    expect(paints.mock.calls.length - all - again, "another selection can be anywhere").toBe(all);
    paints.mockRestore();
  });
});

describe("a unit that is an element of the page", () => {
  it("changes without a tile being painted again", () => {
    const work = graphWork(detail);
    const drawing = drawn(detail, "down", []);
    const first = sceneOf(drawing, work, "down");
    const { id } = first.units[0]!.node;
    const atoms = detail.atoms.map((atom) => (atom.id === id ? { ...atom, summary: "Did it" } : atom));
    const after = sceneOf(drawing, graphWork({ ...detail, atoms }, work), "down", first);
    expect(after.units[0]!.node).not.toBe(first.units[0]!.node);
    const paints = vi.spyOn(HTMLCanvasElement.prototype, "getContext").mockReturnValue(null);
    const told: Near[] = [];
    const it = new Stage(document.createElement("div"), document.createElement("div"), (near) => {
      told.push(near);
    });
    const { x, y } = first.units[0]!.place;
    const [camera, size] = [
      { x: -x, y: -y, zoom: 1 },
      { width: 1_000, height: 600 },
    ];
    settle(() => it.make(camera, size, { ...look, scene: first }));
    const all = paints.mock.calls.length;
    settle(() => it.make(camera, size, { ...look, scene: after }));
    expect(paints.mock.calls.length).toBe(all);
    expect(told.at(-1)!.units).toContain(after.units[0]);
    paints.mockRestore();
  });
});

describe("what the page draws itself", () => {
  it("has all that is seen at once, and what lies around it little by little", () => {
    const first = nextNear(scene, NOTHING, view, around);
    const near = scene.units.filter(({ place }) => overlap(place, around));
    const shown = scene.units.filter(({ place }) => overlap(place, view));
    expect(near.length).toBeGreaterThan(shown.length + 20);
    expect(first.units.filter(({ place }) => overlap(place, view))).toEqual(shown);
    let [now, frames] = [first, 1];
    for (; now.more && frames < 2_000; frames++) {
      const next = nextNear(scene, now, view, around);
      expect(next.units.length - now.units.length).toBeLessThanOrEqual(8);
      now = next;
    }
    expect(now.units).toEqual(near);
    expect(frames).toBeGreaterThan(2);
    // The same objects again: nothing is drawn anew.
    expect(nextNear(scene, now, view, around)).toBe(now);
  });

  it("leaves what has gone out of reach, and takes what the loop says now", () => {
    let now: Near = NOTHING;
    settle(() => (now = nextNear(scene, now, view, around)).more);
    const far = { ...around, x: around.x + 100_000 };
    expect(nextNear(scene, now, { ...view, x: view.x + 100_000 }, far).units).toEqual([]);
    const changed = sceneOf(drawn(detail, "down", []), graphWork({ ...detail }), "down");
    const next = nextNear(changed, now, view, around);
    expect(next.units.map(({ node }) => node.id)).toEqual(now.units.map(({ node }) => node.id));
    expect(next.units.every((unit) => changed.units.includes(unit))).toBe(true);
  });
});

describe("tiles", () => {
  it("are made where something is painted, and nowhere else", () => {
    const paints = vi.spyOn(HTMLCanvasElement.prototype, "getContext").mockReturnValue(null);
    const painted = document.createElement("div");
    const it = new Stage(document.createElement("div"), painted, () => {});
    const one = scene.units[0]!;
    const alone = { ...scene, units: [one], frames: [], edges: [], ghosts: [] };
    const camera = { x: 400 - one.place.x * 0.3, y: 300 - one.place.y * 0.3, zoom: 0.3 };
    const show = (scene: Look["scene"]) => settle(() => it.make(camera, SIZE, { ...look, scene }));
    show({ ...alone, units: [] });
    expect(painted.childElementCount).toBe(0);
    show(alone);
    const few = painted.childElementCount;
    expect(few).toBeGreaterThan(0);
    expect(few, "it can be at the corner of four").toBeLessThanOrEqual(4);
    show(scene);
    expect(painted.childElementCount).toBeGreaterThan(few);
    paints.mockRestore();
  });

  it("cover a part without a gap and without a tile too many, on both sides of zero", () => {
    expect(cellsOf({ x: -1, y: 0, w: 2, h: 10 }, 10)).toEqual([
      [-1, 0],
      [0, 0],
    ]);
    expect(cellsOf({ x: 0, y: 0, w: 10, h: 10 }, 10)).toEqual([[0, 0]]);
    expect(cellsOf({ x: 9, y: 9, w: 2, h: 2 }, 10)).toHaveLength(4);
  });
});

describe("the layer that moves", () => {
  const size = { width: 1_000, height: 600 };
  function stage() {
    const [layer, painted] = [document.createElement("div"), document.createElement("div")];
    const told: Near[] = [];
    const it = new Stage(layer, painted, (near) => told.push(near));
    const tiles = () => painted.querySelectorAll("canvas");
    return { it, layer, tiles, told };
  }

  it("is complete where it is seen before the frame ends, and gets one tile of what lies around per frame", () => {
    const { it: layer, tiles } = stage();
    const more = layer.make({ x: 0, y: 0, zoom: 1 }, size, look);
    const seen = tiles().length;
    expect(seen).toBeGreaterThanOrEqual(4);
    expect(more).toBe(true);
    settle(() => {
      const before = tiles().length;
      const next = layer.move({ x: 0, y: 0, zoom: 1 }, size, look);
      expect(tiles().length - before).toBeLessThanOrEqual(1);
      return next;
    });
    expect(tiles().length).toBeGreaterThan(seen);
  });

  it("keeps its tiles while it is pushed, drops those that are far, and paints none again", () => {
    const { it: layer, tiles } = stage();
    settle(() => layer.move({ x: 0, y: 0, zoom: 1 }, size, look));
    const before = new Set(tiles());
    settle(() => layer.move({ x: -40, y: -20, zoom: 1 }, size, look));
    expect([...tiles()].filter((one) => before.has(one)).length).toBe(before.size);
    settle(() => layer.move({ x: -9_000, y: -20, zoom: 1 }, size, look));
    expect([...tiles()].filter((one) => before.has(one))).toEqual([]);
  });

  it("stretches what is made a little, and makes it again beyond that and at rest", () => {
    const { it: layer, tiles } = stage();
    settle(() => layer.move({ x: 0, y: 0, zoom: 1 }, size, look));
    const before = new Set(tiles());
    const kept = () => [...tiles()].some((one) => before.has(one));
    layer.move({ x: 0, y: 0, zoom: 1.3 }, size, look);
    expect(kept()).toBe(true);
    layer.make({ x: 0, y: 0, zoom: 1.3 }, size, look);
    expect(kept()).toBe(false);
    const [first] = tiles();
    layer.move({ x: 0, y: 0, zoom: 0.4 }, size, look);
    expect([...tiles()]).not.toContain(first);
  });

  it("lies on whole pixels unless it is stretched", () => {
    const { it: stageOf, layer } = stage();
    stageOf.make({ x: 10.4, y: 0.6, zoom: 1 }, size, look);
    expect(layer.style.transform).toBe("translate(10px, 1px) scale(1)");
    stageOf.move({ x: 10.4, y: 0.6, zoom: 1.2 }, size, look);
    expect(layer.style.transform).toBe("translate(10.4px, 0.6px) scale(1.2)");
  });

  it("has nothing for the page to draw where texts cannot be read", () => {
    const { it: layer, told } = stage();
    layer.make({ x: 0, y: 0, zoom: 1 }, size, look);
    expect(told.at(-1)!.units.length).toBeGreaterThan(0);
    layer.make({ x: 0, y: 0, zoom: 0.3 }, size, look);
    expect(told.at(-1)!.units).toEqual([]);
  });
});
