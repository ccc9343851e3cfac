import type { Place } from "../../host/bindings";

/** How the drawing lies under the window: a point of it is at `x + point · zoom` on the screen. */
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

export const NEAREST = 2;
export const FARTHEST = 0.01;
/** One step of the zoom buttons. */
export const STEP = 1.25;
const MARGIN = 24;

export function clampZoom(zoom: number): number {
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

/** As much as can be told apart: everything, or what begins at `roots` where everything would be too small to read. */
export function fit(drawing: Size, view: Size, roots: Place | null = null): Camera {
  const all = whole(drawing, view);
  if (all.zoom >= FARTHEST_ID) return all;
  const zoom = LEGIBLE;
  const from = roots ?? { x: 0, y: 0, w: drawing.width, h: drawing.height };
  const along = (length: number, room: number, begin: number, size: number): number => {
    if (length * zoom <= room - 2 * MARGIN) return (room - length * zoom) / 2;
    const middle = room / 2 - (begin + size / 2) * zoom;
    return Math.min(MARGIN, Math.max(room - MARGIN - length * zoom, middle));
  };
  return {
    x: along(drawing.width, view.width, from.x, from.w),
    y: along(drawing.height, view.height, from.y, from.h),
    zoom,
  };
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

/** Where a person begins: everything when it can be read, otherwise a readable part around `start`. */
export function beginning(drawing: Size, view: Size, start: Place | null): Camera {
  const all = whole(drawing, view);
  if (all.zoom >= READABLE || !start) return all;
  return kept(centre({ x: 0, y: 0, zoom: 0.7 }, start, view), drawing, view);
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
