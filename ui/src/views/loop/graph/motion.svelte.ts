import {
  startView,
  centre,
  fit,
  framing,
  inside,
  kept,
  reveal,
  seen,
  zoomAt,
  type Camera,
  type Size,
} from "./camera";
import type { Place } from "../../../host/bindings";
import { NOTHING, type Near } from "./near";
import { Stage } from "./stage";
import type { Look } from "./tiles";

/** How long without a movement until the view is drawn sharp. */
const REST = 140;
/** How far an arrow key pushes, in pixels of the screen. */
const SHOVE = 60;

const PUSHES: Readonly<Record<string, readonly [number, number]>> = {
  ArrowUp: [0, SHOVE],
  ArrowDown: [0, -SHOVE],
  ArrowLeft: [SHOVE, 0],
  ArrowRight: [-SHOVE, 0],
};

/** Where a person looks at, and how what they see follows: at most once per frame of the screen. */
export class Motion {
  camera: Camera = $state.raw({ x: 0, y: 0, zoom: 1 });
  moving = $state(false);
  near: Near = $state.raw(NOTHING);
  size: Size = { width: 0, height: 0 };

  #look: Look | null = null;
  #stage: Stage | null = null;
  #placed: boolean;
  /** The view is as it was fitted into the window: it is fitted again when the window changes. */
  #untouched = false;
  #frame = 0;
  #resting: ReturnType<typeof setTimeout> | undefined;
  readonly #remember: (camera: Camera) => void;

  /** Whether each drawing begins as a whole, however small. */
  readonly #wholly: boolean;

  constructor(start: Camera | null, remember: (camera: Camera) => void, wholly = false) {
    this.#wholly = wholly;
    this.#placed = start !== null;
    this.#remember = remember;
    if (start) this.camera = start;
  }

  attach(layer: HTMLElement, painted: HTMLElement): void {
    this.#stage = new Stage(layer, painted, (next) => (this.near = next));
  }

  /**
   * What is drawn, its colours or the window have changed: everything near is made again. `starts` is where a large
   * drawing is entered, `held` what stays in a window that became smaller.
   */
  shows(look: Look, size: Size, starts: readonly Place[], held: Place | null): void {
    const resized = size.width !== this.size.width || size.height !== this.size.height;
    this.#look = look;
    this.size = size;
    if (!this.#placed || (resized && this.#untouched)) {
      const { scene } = look;
      this.#put(this.#wholly ? fit(scene, size, scene.roots) : startView(scene, size, starts));
      this.#untouched = true;
    } else if (resized && held) this.#put(reveal(this.camera, held, size));
    this.#placed = true;
    if (this.#stage?.make(this.camera, size, look)) this.#next();
  }

  /** The next drawing is another one: it begins as if it were new. */
  startOver(): void {
    this.#placed = false;
  }

  /** The drawing has become another; what was at `from` is kept under the eyes. */
  follow(from: Place, to: Place): void {
    const { x, y, zoom } = this.camera;
    this.camera = { zoom, x: x + (from.x - to.x) * zoom, y: y + (from.y - to.y) * zoom };
  }

  #put(camera: Camera): void {
    if (!this.#look) return;
    this.camera = kept(camera, this.#look.scene, this.size);
    this.#remember(this.camera);
  }

  /** Moves on the next frame. */
  go(camera: Camera): void {
    this.#put(camera);
    this.#untouched = false;
    this.moving = true;
    this.#next();
    clearTimeout(this.#resting);
    this.#resting = setTimeout(() => {
      this.moving = false;
      if (this.#look && this.#stage?.make(this.camera, this.size, this.#look)) this.#next();
    }, REST);
  }

  /** Shows where the camera is on the next frame, and makes more on those after it until everything near is made. */
  #next(): void {
    this.#frame ||= requestAnimationFrame(() => {
      this.#frame = 0;
      if (this.#look && this.#stage?.move(this.camera, this.size, this.#look)) this.#next();
    });
  }

  end(): void {
    cancelAnimationFrame(this.#frame);
    clearTimeout(this.#resting);
  }

  fitAll(): void {
    if (!this.#look) return;
    this.go(fit(this.#look.scene, this.size, this.#look.scene.roots));
    this.#untouched = true;
  }

  /** Shows a place whole, from as near as it can be seen; stays where it is already seen whole. */
  frame(place: Place): void {
    if (!this.#look || this.size.width === 0 || inside(seen(this.camera, this.size), place)) return;
    this.go(framing(this.#look.scene, this.size, place));
  }

  zoomBy(factor: number): void {
    this.go(zoomAt(this.camera, this.camera.zoom * factor, this.size.width / 2, this.size.height / 2));
  }

  /** As large as life. */
  life(): void {
    this.go(zoomAt(this.camera, 1, this.size.width / 2, this.size.height / 2));
  }

  show(place: Place): void {
    if (this.size.width === 0) return;
    const next = reveal(this.camera, place, this.size);
    if (next.x !== this.camera.x || next.y !== this.camera.y) this.go(next);
  }

  lookAt(place: Place): void {
    this.go(centre(this.camera, place, this.size));
  }

  /** Moves with an arrow key; answers whether the key was one. */
  push(key: string): boolean {
    const by = PUSHES[key];
    if (by) this.go({ ...this.camera, x: this.camera.x + by[0], y: this.camera.y + by[1] });
    return by !== undefined;
  }

  /** The wheel moves; with Ctrl or Cmd, and with two fingers, it zooms. `x` and `y` are where the pointer is. */
  wheel(event: WheelEvent, x: number, y: number): void {
    const unit = event.deltaMode === 1 ? 18 : event.deltaMode === 2 ? this.size.height : 1;
    if (event.ctrlKey || event.metaKey) {
      const by = Math.exp(-Math.max(-240, Math.min(240, event.deltaY * unit)) / 400);
      this.go(zoomAt(this.camera, this.camera.zoom * by, x, y));
      return;
    }
    const sideways = event.shiftKey && event.deltaX === 0;
    const [dx, dy] = sideways ? [event.deltaY, 0] : [event.deltaX, event.deltaY];
    this.go({ ...this.camera, x: this.camera.x - dx * unit, y: this.camera.y - dy * unit });
  }
}
