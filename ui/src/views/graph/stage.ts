import type { Place } from "../../host/bindings";
import { inside, READABLE, seen, type Camera, type Size } from "./camera";
import { paint, type Level } from "./paint";
import type { Palette } from "./palette";
import { within, type Ghost, type Scene, type SceneFrame, type SceneUnit } from "./scene";

/** How much around the window is made ready, in parts of it. */
const AROUND = 0.3;
/** So much closer or farther, what was made is shown larger or smaller; beyond it is made again. */
const STRETCH = 1.6;
const SHARPEST = 2;

/** What the page has to draw itself. */
export interface Near {
  readonly units: readonly SceneUnit[];
  readonly frames: readonly SceneFrame[];
  readonly ghosts: readonly Ghost[];
}

export const NOTHING: Near = { units: [], frames: [], ghosts: [] };

/** What decides how the present frame looks. */
export interface Look {
  readonly scene: Scene;
  readonly palette: Palette;
  readonly shines: (id: string) => boolean;
  readonly selected: string | null;
  readonly language: string;
}

/** A part of the drawing that was made ready at a zoom. */
interface Made {
  readonly part: Place;
  readonly zoom: number;
}

function around(part: Place): Place {
  const [w, h] = [part.w * AROUND, part.h * AROUND];
  return { x: part.x - w, y: part.y - h, w: part.w + 2 * w, h: part.h + 2 * h };
}

/** Texts are the page's business while they can be read; from afar everything is painted. */
export function levelOf(zoom: number): Level {
  return zoom >= READABLE ? "lines" : "blocks";
}

/**
 * The layer that is moved. While it moves only its transform changes; what comes into view is made ready with a margin,
 * and made sharp again when it rests.
 */
export class Stage {
  readonly #layer: HTMLElement;
  readonly #canvas: HTMLCanvasElement;
  readonly #near: (near: Near) => void;
  #made: Made | null = null;

  constructor(layer: HTMLElement, canvas: HTMLCanvasElement, near: (near: Near) => void) {
    this.#layer = layer;
    this.#canvas = canvas;
    this.#near = near;
  }

  /** Shows the camera's view of what is made; makes more only when that is not enough. */
  move(camera: Camera, view: Size, look: Look): void {
    this.#layer.style.transform = `translate(${camera.x}px, ${camera.y}px) scale(${camera.zoom})`;
    const made = this.#made;
    const ratio = made ? camera.zoom / made.zoom : 0;
    const enough =
      made !== null &&
      ratio < STRETCH &&
      ratio > 1 / STRETCH &&
      levelOf(made.zoom) === levelOf(camera.zoom) &&
      inside(made.part, seen(camera, view));
    if (!enough) this.make(camera, view, look);
  }

  /** Makes everything ready around the camera's view. */
  make(camera: Camera, view: Size, look: Look): void {
    if (view.width === 0 || view.height === 0) return;
    const part = around(seen(camera, view));
    this.#made = { part, zoom: camera.zoom };
    const level = levelOf(camera.zoom);
    this.#paint(part, camera.zoom, level, look);
    this.#near(level === "lines" ? within(look.scene, part) : NOTHING);
  }

  #paint(part: Place, zoom: number, level: Level, look: Look): void {
    const canvas = this.#canvas;
    const ctx = canvas.getContext("2d");
    if (!ctx) return;
    const scale = zoom * Math.min(SHARPEST, devicePixelRatio || 1);
    const [width, height] = [Math.ceil(part.w * scale), Math.ceil(part.h * scale)];
    // Setting a size empties the canvas, even to the same one.
    if (canvas.width !== width) canvas.width = width;
    if (canvas.height !== height) canvas.height = height;
    canvas.style.width = `${width / scale}px`;
    canvas.style.height = `${height / scale}px`;
    canvas.style.transform = `translate(${part.x}px, ${part.y}px)`;
    ctx.setTransform(1, 0, 0, 1, 0, 0);
    ctx.clearRect(0, 0, width, height);
    ctx.setTransform(scale, 0, 0, scale, -part.x * scale, -part.y * scale);
    paint(ctx, { ...look, level, part, zoom });
  }
}
