import type { Place } from "../../../host/bindings";

/**
 * The position of the drawing under the window: a point of it is at `x + point · zoom` on the
 * screen.
 */
export interface Camera {
  readonly x: number;
  readonly y: number;
  readonly zoom: number;
}

/** Width and height on the screen, in pixels. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

const NEAREST = 2;
const FARTHEST = 0.01;
/** One step of the zoom buttons. */
export const STEP = 1.25;
const MARGIN = 24;

function clampZoom(zoom: number): number {
  return Math.min(NEAREST, Math.max(FARTHEST, zoom));
}

/** From afar, ids can be read down to this zoom. */
export const LEGIBLE = 0.28;
/** Down to here ids are drawn, no smaller than at the zoom above: what nearly fits is shown whole. */
export const FARTHEST_ID = 0.25;

/** Everything in the middle of the window, no larger than life. */
export function whole(drawing: Size, view: Size): Camera {
  const across = (view.width - 2 * MARGIN) / Math.max(1, drawing.width);
  const down = (view.height - 2 * MARGIN) / Math.max(1, drawing.height);
  const zoom = clampZoom(Math.min(1, across, down));
  return {
    x: (view.width - drawing.width * zoom) / 2,
    y: (view.height - drawing.height * zoom) / 2,
    zoom,
  };
}

/**
 * The drawing at a zoom: in the middle along an axis on which all of it fits, else with `from` in the middle, as far as the
 * drawing's ends allow. What is itself too large for the window is seen from its beginning.
 */
function aligned(drawing: Size, view: Size, from: Place, zoom: number): Camera {
  const along = (length: number, room: number, begin: number, size: number): number => {
    if (length * zoom <= room - 2 * MARGIN) return (room - length * zoom) / 2;
    const shown = Math.min(size * zoom, room - 2 * MARGIN);
    const wanted = (room - shown) / 2 - begin * zoom;
    return Math.min(MARGIN, Math.max(room - MARGIN - length * zoom, wanted));
  };
  return {
    x: along(drawing.width, view.width, from.x, from.w),
    y: along(drawing.height, view.height, from.y, from.h),
    zoom,
  };
}

/**
 * As much as can be distinguished: everything, or what begins at `roots` where everything would be
 * too small to read.
 */
export function fit(drawing: Size, view: Size, roots: Place | null = null): Camera {
  const all = whole(drawing, view);
  if (all.zoom >= FARTHEST_ID) return all;
  return aligned(drawing, view, roots ?? { x: 0, y: 0, w: drawing.width, h: drawing.height }, LEGIBLE);
}

/** Zooms so that what is under a point of the screen stays there. */
export function zoomAt(camera: Camera, zoom: number, x: number, y: number): Camera {
  const next = clampZoom(zoom);
  const ratio = next / camera.zoom;
  return { x: x - (x - camera.x) * ratio, y: y - (y - camera.y) * ratio, zoom: next };
}

/** The part of the drawing that is on the screen. */
export function seen(camera: Camera, view: Size): Place {
  return {
    x: -camera.x / camera.zoom,
    y: -camera.y / camera.zoom,
    w: view.width / camera.zoom,
    h: view.height / camera.zoom,
  };
}

/** Puts the middle of a place into the middle of the window. */
export function centre(camera: Camera, place: Place, view: Size): Camera {
  return {
    zoom: camera.zoom,
    x: view.width / 2 - (place.x + place.w / 2) * camera.zoom,
    y: view.height / 2 - (place.y + place.h / 2) * camera.zoom,
  };
}

/** Shows a place whole, moving as little as possible; its beginning when it is larger than the window. */
export function reveal(camera: Camera, place: Place, view: Size): Camera {
  const along = (offset: number, begin: number, length: number, room: number): number => {
    const from = offset + begin * camera.zoom;
    const to = from + length * camera.zoom;
    if (from < MARGIN || length * camera.zoom > room - 2 * MARGIN) return offset + MARGIN - from;
    if (to > room - MARGIN) return offset + room - MARGIN - to;
    return offset;
  };
  return {
    zoom: camera.zoom,
    x: along(camera.x, place.x, place.w, view.width),
    y: along(camera.y, place.y, place.h, view.height),
  };
}

/** Keeps a corner of the drawing on the screen, wherever it is pushed. */
export function kept(camera: Camera, drawing: Size, view: Size): Camera {
  const along = (offset: number, length: number, room: number) => {
    const rest = Math.min(80, length * camera.zoom);
    return Math.min(room - rest, Math.max(rest - length * camera.zoom, offset));
  };
  return {
    zoom: camera.zoom,
    x: along(camera.x, drawing.width, view.width),
    y: along(camera.y, drawing.height, view.height),
  };
}

/** Below this zoom texts cannot be read: everything is painted as blocks. */
export const READABLE = 0.5;

/** Size of the smallest texts of a unit, as the page draws them, and the least at which they are good to read. */
const TEXT = 12;
const SMALLEST_TEXT = 11;
/** Down to this zoom a person reads without effort. */
export const COMFORTABLE = SMALLEST_TEXT / TEXT;

/**
 * Where a person begins: everything where it can be read without effort, otherwise the first of `starts` with as many of
 * the others as there is room for.
 */
export function startView(drawing: Size, view: Size, starts: readonly Place[]): Camera {
  const all = whole(drawing, view);
  const [first] = starts;
  if (all.zoom >= COMFORTABLE || !first) return all;
  const fits = ({ w, h }: Place) =>
    w * COMFORTABLE <= view.width - 2 * MARGIN && h * COMFORTABLE <= view.height - 2 * MARGIN;
  const seen = starts.slice(1).reduce((some, next) => {
    const more = around([some, next]) ?? some;
    return fits(more) ? more : some;
  }, first);
  return aligned(drawing, view, seen, COMFORTABLE);
}

/** A place whole, as large as it can be and no larger than life; its beginning where it would be too small to read. */
export function framing(drawing: Size, view: Size, place: Place): Camera {
  const { zoom } = whole({ width: place.w, height: place.h }, view);
  return aligned(drawing, view, place, Math.max(READABLE, zoom));
}

/** The smallest place that has all of them in it; nothing around none. */
export function around(places: readonly Place[]): Place | null {
  if (places.length === 0) return null;
  const [x, y] = [Math.min(...places.map((one) => one.x)), Math.min(...places.map((one) => one.y))];
  const w = Math.max(...places.map((one) => one.x + one.w)) - x;
  return { x, y, w, h: Math.max(...places.map((one) => one.y + one.h)) - y };
}

export function overlap(a: Place, b: Place): boolean {
  return a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;
}

export function inside(outer: Place, inner: Place): boolean {
  return (
    inner.x >= outer.x &&
    inner.y >= outer.y &&
    inner.x + inner.w <= outer.x + outer.w &&
    inner.y + inner.h <= outer.y + outer.h
  );
}
