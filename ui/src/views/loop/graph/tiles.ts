import type { Place } from "../../../host/bindings";
import { overlap } from "./camera";
import { isPainted, paint, type Level } from "./paint";
import type { Palette } from "./palette";
import { changedIn, type Scene } from "./scene";

/** Side of a tile, in pixels of the screen. */
const SIDE = 512;
const SHARPEST = 2;
/** How far shadows, arrows and thick lines reach beyond their place: in the drawing, and on the screen. */
const BEYOND = 16;
const BEYOND_SEEN = 4;

interface Tile {
  /** Nothing where nothing is painted: empty ones would cost as much as others. */
  canvas: HTMLCanvasElement | null;
  /** In the drawing. */
  readonly place: Place;
  /** Which looks it was painted with. */
  stamp: number;
}

/** What decides how the present frame looks. */
export interface Look {
  readonly scene: Scene;
  readonly palette: Palette;
  readonly shines: (id: string) => boolean;
  readonly selected: string | null;
  readonly language: string;
}

/** How everything that is painted now is painted. */
interface Way {
  readonly look: Look;
  readonly zoom: number;
  readonly level: Level;
}

function sameButScene(one: Way, other: Way): boolean {
  return (
    one.zoom === other.zoom &&
    one.level === other.level &&
    one.look.palette === other.look.palette &&
    one.look.shines === other.look.shines &&
    one.look.selected === other.look.selected &&
    one.look.language === other.look.language
  );
}

/** Column and row of every tile that a part touches; tiles have sides of `side` in the drawing. */
export function cellsOf(part: Place, side: number): [column: number, row: number][] {
  const cells: [number, number][] = [];
  const [right, bottom] = [Math.ceil((part.x + part.w) / side), Math.ceil((part.y + part.h) / side)];
  for (let row = Math.floor(part.y / side); row < bottom; row++) {
    for (let column = Math.floor(part.x / side); column < right; column++) cells.push([column, row]);
  }
  return cells;
}

/**
 * What is painted, as tiles: a frame that moves paints what comes into view and one tile of what may come next, so that
 * no frame has to paint everything.
 */
export class Tiles {
  readonly #into: HTMLElement;
  readonly #tiles = new Map<string, Tile>();
  #way: Way | null = null;
  #stamp = 0;

  constructor(into: HTMLElement) {
    this.#into = into;
  }

  /**
   * From now on everything is painted in this way; what is there is painted again as it is needed, where it may look
   * unlike before.
   */
  begin(look: Look, zoom: number, level: Level): void {
    const before = this.#way;
    if (before?.zoom !== zoom) this.#clear();
    this.#way = { look, zoom, level };
    const changed =
      before && sameButScene(before, this.#way)
        ? changedIn(look.scene, before.look.scene, level !== "lines")
        : null;
    const valid = this.#stamp;
    this.#stamp += 1;
    if (changed === null) return;
    const by = Math.max(BEYOND, BEYOND_SEEN / zoom);
    for (const tile of this.#tiles.values()) {
      const part = {
        x: tile.place.x - by,
        y: tile.place.y - by,
        w: tile.place.w + 2 * by,
        h: tile.place.h + 2 * by,
      };
      const stays = tile.stamp === valid && !changed.some((place) => overlap(place, part));
      if (stays) tile.stamp = this.#stamp;
    }
  }

  /** Paints what is seen, and one tile around it; answers whether there is more to paint around it. */
  fill(seen: Place, around: Place): boolean {
    const way = this.#way;
    if (!way) return false;
    const side = SIDE / way.zoom;
    const wanted = new Set<string>();
    let room = 1;
    let more = false;
    for (const [column, row] of cellsOf(around, side)) {
      const key = `${column} ${row}`;
      wanted.add(key);
      if (this.#tiles.get(key)?.stamp === this.#stamp) continue;
      const place = { x: column * side, y: row * side, w: side, h: side };
      if (overlap(place, seen) || room-- > 0) this.#paint(key, place, way);
      else more = true;
    }
    for (const [key, { canvas }] of this.#tiles) if (!wanted.has(key)) this.#drop(key, canvas);
    return more;
  }

  #clear(): void {
    for (const [key, { canvas }] of this.#tiles) this.#drop(key, canvas);
  }

  #drop(key: string, canvas: HTMLCanvasElement | null): void {
    canvas?.remove();
    this.#tiles.delete(key);
  }

  #paint(key: string, place: Place, { look, zoom, level }: Way): void {
    const tile = this.#tiles.get(key) ?? { canvas: null, place, stamp: 0 };
    this.#tiles.set(key, tile);
    tile.stamp = this.#stamp;
    const by = Math.max(BEYOND, BEYOND_SEEN / zoom);
    const part = { x: place.x - by, y: place.y - by, w: place.w + 2 * by, h: place.h + 2 * by };
    if (!tile.canvas && !isPainted({ scene: look.scene, level, part })) return;
    const canvas = (tile.canvas ??= this.#make(place));
    const ctx = canvas.getContext("2d");
    if (!ctx) return;
    const scale = canvas.width / place.w;
    ctx.setTransform(1, 0, 0, 1, 0, 0);
    ctx.clearRect(0, 0, canvas.width, canvas.height);
    ctx.setTransform(scale, 0, 0, scale, -place.x * scale, -place.y * scale);
    paint(ctx, { ...look, level, part, zoom });
  }

  #make(place: Place): HTMLCanvasElement {
    const canvas = document.createElement("canvas");
    canvas.width = canvas.height = SIDE * Math.min(SHARPEST, devicePixelRatio || 1);
    canvas.style.width = canvas.style.height = `${place.w}px`;
    canvas.style.transform = `translate(${place.x}px, ${place.y}px)`;
    this.#into.append(canvas);
    return canvas;
  }
}
