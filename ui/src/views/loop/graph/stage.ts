import type { Place } from "../../../host/bindings";
import { READABLE, seen, type Camera, type Size } from "./camera";
import { nextNear, NOTHING, type Near } from "./near";
import type { Level } from "./paint";
import { Tiles, type Look } from "./tiles";

/** How much around the window is made ready, in parts of it. */
const AROUND = 0.3;
/** So much closer or farther, what was made is shown larger or smaller; beyond it is made again. */
const STRETCH = 1.6;

function around(part: Place): Place {
  const [w, h] = [part.w * AROUND, part.h * AROUND];
  return { x: part.x - w, y: part.y - h, w: part.w + 2 * w, h: part.h + 2 * h };
}

/** Texts are the page's business while they can be read; from afar everything is painted. */
function levelOf(zoom: number): Level {
  return zoom >= READABLE ? "lines" : "blocks";
}

/**
 * The layer that is moved. While it moves its transform changes, and what comes into view is made ready piece by piece
 * with a margin; it is made sharp again when it rests.
 */
export class Stage {
  readonly #layer: HTMLElement;
  readonly #tiles: Tiles;
  readonly #tell: (near: Near) => void;
  #near: Near = NOTHING;
  #look: Look | null = null;
  /** The zoom that everything was made for; 0 before anything was. */
  #zoom = 0;

  /** `painted` is in the layer and holds what is painted. */
  constructor(layer: HTMLElement, painted: HTMLElement, tell: (near: Near) => void) {
    this.#layer = layer;
    this.#tiles = new Tiles(painted);
    this.#tell = tell;
  }

  /** Shows the camera's view of what is made, stretched when that is good enough; answers whether more is to be made. */
  move(camera: Camera, view: Size, look: Look): boolean {
    const ratio = camera.zoom / this.#zoom;
    const stretched = ratio < STRETCH && ratio > 1 / STRETCH && levelOf(this.#zoom) === levelOf(camera.zoom);
    return this.#show(camera, view, look, stretched ? this.#zoom : camera.zoom);
  }

  /** Makes the camera's view sharp; answers whether more is to be made around it. */
  make(camera: Camera, view: Size, look: Look): boolean {
    return this.#show(camera, view, look, camera.zoom);
  }

  #show(camera: Camera, view: Size, look: Look, zoom: number): boolean {
    this.#layer.style.transform = transformOf(camera, zoom);
    if (view.width === 0 || view.height === 0) return false;
    if (look !== this.#look || zoom !== this.#zoom) {
      [this.#look, this.#zoom] = [look, zoom];
      this.#tiles.begin(look, zoom, levelOf(zoom));
    }
    const part = seen(camera, view);
    const wide = around(part);
    const near = levelOf(zoom) === "lines" ? nextNear(look.scene, this.#near, part, wide) : NOTHING;
    if (near !== this.#near) this.#tell(near);
    this.#near = near;
    return this.#tiles.fill(part, wide) || near.more;
  }
}

/** Whole pixels where nothing is stretched: lines stay sharp, and tiles meet without a seam. */
function transformOf({ x, y, zoom }: Camera, made: number): string {
  const ratio = devicePixelRatio || 1;
  const whole = (length: number) => (zoom === made ? Math.round(length * ratio) / ratio : length);
  return `translate(${whole(x)}px, ${whole(y)}px) scale(${zoom})`;
}
