import { markShape, type Mark } from "../../../components/shapes";
import type { Place } from "../../../host/bindings";
import { say, t } from "../../../words/language.svelte";
import { FARTHEST_ID, overlap } from "./camera";
import { unitGlyph } from "./glyphs";
import { clipped, wrappedLines } from "./lines";
import { stateText, type WorkNode } from "./model";
import type { Palette } from "./palette";
import {
  curveOf,
  isIdle,
  isStruck,
  type Ghost,
  type Scene,
  type SceneEdge,
  type SceneFrame,
  type SceneUnit,
} from "./scene";

/** How much of a unit is painted: nothing because the page draws it, a block to be seen from afar, or everything. */
export type Level = "lines" | "blocks" | "full";

/** What to paint. */
interface Painting {
  readonly scene: Scene;
  readonly palette: Palette;
  readonly level: Level;
  /** Only what is in this part. */
  readonly part: Place;
  /** Pixels of the screen per pixel of the drawing: thin lines stay visible from afar. */
  readonly zoom: number;
  /** What a filter leaves in full strength. */
  readonly shines: (id: string) => boolean;
  readonly selected: string | null;
  /** Language of the texts. */
  readonly language: string;
}

type Ctx = CanvasRenderingContext2D;

const FADED = 0.22;
const RADIUS = 6;
const paths = new Map<string, Path2D>();

function pathOf(text: string): Path2D {
  let path = paths.get(text);
  if (!path) {
    path = new Path2D(text);
    paths.set(text, path);
  }
  return path;
}

/** Whether there is anything to paint in a part. */
export function isPainted({ scene, level, part }: Pick<Painting, "scene" | "level" | "part">): boolean {
  const inside = ({ place }: { place: Place }) => overlap(place, part);
  if (scene.frames.some(inside) || scene.edges.some(({ box }) => overlap(box, part))) return true;
  return level !== "lines" && (scene.ghosts.some(inside) || scene.units.some(inside));
}

/** Paints a part of the drawing; the context is already moved and scaled to it. */
export function paint(ctx: Ctx, painting: Painting): void {
  const { scene, part } = painting;
  ctx.lineJoin = "round";
  for (const frame of scene.frames) if (overlap(frame.place, part)) paintFrame(ctx, painting, frame);
  const near = scene.edges.filter((edge) => overlap(edge.box, part));
  const marked = (edge: SceneEdge) => edge.critical || edge.circle;
  for (const edge of near) if (!marked(edge)) paintEdge(ctx, painting, edge);
  for (const edge of near) if (marked(edge)) paintEdge(ctx, painting, edge);
  ctx.setLineDash([]);
  ctx.globalAlpha = 1;
  if (painting.level === "lines") return;
  for (const ghost of scene.ghosts) if (overlap(ghost.place, part)) paintGhost(ctx, painting, ghost);
  for (const unit of scene.units) if (overlap(unit.place, part)) paintUnit(ctx, painting, unit);
  ctx.globalAlpha = 1;
}

function frameShines({ shines }: Painting, frame: SceneFrame): boolean {
  return frame.node === null || shines(frame.node.id);
}

function paintFrame(ctx: Ctx, painting: Painting, frame: SceneFrame): void {
  const { palette, zoom, selected, level } = painting;
  const { x, y, w, h } = frame.place;
  const chosen = frame.node !== null && frame.node.id === selected;
  ctx.globalAlpha = frameShines(painting, frame) ? 1 : 0.5;
  ctx.lineWidth = Math.max(chosen ? 2 : 1, 1 / zoom);
  ctx.strokeStyle = chosen ? palette.accent : frame.node ? palette.control : palette.edge;
  ctx.setLineDash(frame.node ? [] : [5, 4]);
  ctx.beginPath();
  ctx.roundRect(x + 0.5, y + 0.5, w - 1, h - 1, RADIUS + 2);
  if (frame.node) {
    ctx.fillStyle = palette.page;
    ctx.fill();
  }
  ctx.stroke();
  ctx.setLineDash([]);
  if (level === "full") {
    ctx.font = `12px ${palette.font}`;
    ctx.fillStyle = palette.secondary;
    ctx.textBaseline = "middle";
    ctx.fillText(
      clipped(frameText(frame), w - 24, (text) => ctx.measureText(text).width),
      x + 12,
      y + 14,
    );
  }
}

/** The head of a frame as one line. */
export function frameText({ node, name, group }: SceneFrame): string {
  if (!node) return say(group?.speculative ? t.graph.oneOfAtOnce : t.common.oneOf, { group: name });
  const parts = [`${node.id} ${node.description}`.trim()];
  if (node.progress) parts.push(say(t.common.doneOf, node.progress));
  if (node.reason) parts.push(say(t.list.evidenceReason, { reason: node.reason }));
  return parts.join(" · ");
}

/** How a dependency is drawn: a cycle can never be completed, and stands out first. */
export function strokeOf(
  edge: SceneEdge,
  palette: Palette,
): { color: string; width: number; dash: number[] } {
  if (edge.circle) return { color: palette.danger, width: 2, dash: edge.against ? [7, 4] : [] };
  if (edge.ghost) return { color: palette.attention, width: 1.5, dash: [4, 4] };
  if (edge.critical) return { color: palette.text, width: 3, dash: edge.idle ? [3, 4] : [] };
  return { color: palette.edge, width: 1.25, dash: edge.idle ? [3, 4] : [] };
}

function paintEdge(ctx: Ctx, painting: Painting, edge: SceneEdge): void {
  const { palette, zoom, scene, shines } = painting;
  const faded = !shines(edge.from) || !shines(edge.to);
  ctx.globalAlpha = faded ? FADED : edge.idle ? 0.55 : 1;
  const { color, width, dash } = strokeOf(edge, palette);
  ctx.strokeStyle = color;
  ctx.fillStyle = color;
  ctx.lineWidth = Math.max(width, (edge.critical || edge.circle ? 1.5 : 0.75) / zoom);
  ctx.setLineDash(dash);
  ctx.beginPath();
  ctx.moveTo(edge.points[0] ?? 0, edge.points[1] ?? 0);
  for (const [, , px, py, qx, qy, bx, by] of curveOf(edge.points, scene.direction)) {
    ctx.bezierCurveTo(px, py, qx, qy, bx, by);
  }
  if (edge.critical && !faded) {
    // What it crosses ends before it: the path is one line to follow.
    const { lineWidth } = ctx;
    ctx.strokeStyle = palette.page;
    ctx.lineWidth = lineWidth + 4 / Math.max(1, zoom);
    ctx.stroke();
    ctx.strokeStyle = color;
    ctx.lineWidth = lineWidth;
  }
  ctx.stroke();
  if (zoom < 0.3) return;
  ctx.setLineDash([]);
  const [tip, left, right] = headOf(edge, scene);
  ctx.beginPath();
  ctx.moveTo(...tip);
  ctx.lineTo(...left);
  ctx.lineTo(...right);
  ctx.closePath();
  ctx.fill();
}

type Point = [number, number];

/** The arrow at the end of an edge: its tip and its two other corners. */
export function headOf(edge: SceneEdge, scene: Scene): [Point, Point, Point] {
  const { points } = edge;
  const x = points.at(-2) ?? 0;
  const y = points.at(-1) ?? 0;
  const [fromX, fromY] = [points.at(-4) ?? x, points.at(-3) ?? y];
  const size = edge.critical ? 10 : 6.5;
  if (scene.direction === "down") {
    const back = fromY <= y ? -size : size;
    return [
      [x, y],
      [x - size * 0.6, y + back],
      [x + size * 0.6, y + back],
    ];
  }
  const back = fromX <= x ? -size : size;
  return [
    [x, y],
    [x + back, y - size * 0.6],
    [x + back, y + size * 0.6],
  ];
}

/** Size of an id from afar: the farthest at which it is drawn, it does not get smaller with the rest. */
function idSize(zoom: number): number {
  return Math.max(27, 7.5 / zoom);
}

function paintGhost(ctx: Ctx, { palette, zoom, level }: Painting, { id, place }: Ghost): void {
  ctx.setLineDash([5, 4]);
  box(ctx, place, palette.page, palette.attention, Math.max(1.5, 1 / zoom));
  ctx.setLineDash([]);
  const size = level === "full" ? 12 : idSize(zoom);
  if (level === "blocks" && zoom < FARTHEST_ID) return;
  ctx.font = `600 ${size}px ${palette.font}`;
  ctx.fillStyle = palette.attention;
  ctx.textBaseline = "middle";
  const text = level === "full" ? say(t.units.labelled, { name: id, value: t.common.doesNotExist }) : id;
  const measure = (part: string) => ctx.measureText(part).width;
  ctx.fillText(clipped(text.slice(0, 200), place.w - 20, measure), place.x + 10, place.y + place.h / 2 + 1);
}

function paintUnit(ctx: Ctx, painting: Painting, unit: SceneUnit): void {
  const { palette, zoom, selected, shines, level } = painting;
  const { node, place, closed } = unit;
  const chosen = node.id === selected;
  const idle = isIdle(node);
  ctx.globalAlpha = !shines(node.id) ? FADED : idle && level === "blocks" ? 0.6 : 1;
  if (closed)
    box(ctx, { ...place, x: place.x + 4, y: place.y + 4 }, palette.panel, palette.control, 1 / zoom);
  const line = chosen ? palette.accent : node.critical ? palette.text : palette.control;
  const width = chosen || node.critical ? Math.max(2, (chosen ? 3 : 2) / zoom) : Math.max(1, 1 / zoom);
  box(ctx, place, chosen ? palette.selected : palette.panel, line, width);
  if (level === "blocks") paintBlock(ctx, painting, unit);
  else paintWhole(ctx, painting, unit);
}

function box(ctx: Ctx, { x, y, w, h }: Place, fill: string, line: string, width: number): void {
  ctx.beginPath();
  ctx.roundRect(x + 0.5, y + 0.5, w - 1, h - 1, RADIUS);
  ctx.fillStyle = fill;
  ctx.fill();
  ctx.lineWidth = width;
  ctx.strokeStyle = line;
  ctx.stroke();
}

function paintGlyph(ctx: Ctx, state: Mark, palette: Palette, x: number, y: number, size: number): void {
  const [shape, role] = markShape(state);
  const { fill, line, width = 2 } = unitGlyph(shape);
  ctx.save();
  ctx.translate(x, y);
  ctx.scale(size / 16, size / 16);
  ctx.fillStyle = palette.meaning[role];
  ctx.strokeStyle = palette.meaning[role];
  ctx.lineWidth = width;
  ctx.lineCap = "round";
  if (fill) ctx.fill(pathOf(fill));
  if (line) ctx.stroke(pathOf(line));
  ctx.restore();
}

/** From afar: the shape of the status, and the id as long as it can be read. */
function paintBlock(ctx: Ctx, { palette, zoom }: Painting, { node, place }: SceneUnit): void {
  const [, role] = markShape(node.state);
  if (zoom < 0.12) {
    ctx.fillStyle = palette.meaning[role];
    ctx.fillRect(place.x, place.y, 56, place.h);
    return;
  }
  const glyph = Math.min(36, place.h - 8);
  paintGlyph(ctx, node.state, palette, place.x + 12, place.y + (place.h - glyph) / 2, glyph);
  if (zoom < FARTHEST_ID) return;
  ctx.font = `600 ${idSize(zoom)}px ${palette.font}`;
  ctx.fillStyle = palette.text;
  ctx.textBaseline = "middle";
  const room = place.w - 72;
  const text = clipped(node.id.slice(0, 40), room, (part) => ctx.measureText(part).width);
  ctx.fillText(text, place.x + 60, place.y + place.h / 2 + 1, room);
}

/** Everything, for pictures that leave the window. */
function paintWhole(ctx: Ctx, painting: Painting, unit: SceneUnit): void {
  if (unit.compact) return paintLine(ctx, painting, unit);
  const { palette, language } = painting;
  const { node, place, closed } = unit;
  const measure = (text: string) => ctx.measureText(text).width;
  const [, role] = markShape(node.state);
  const { x, y, w } = place;
  ctx.textBaseline = "alphabetic";
  const progress = closed && node.progress ? say(t.common.doneOf, node.progress) : null;
  const word = progress ?? stateText(node);
  ctx.font = `600 11px ${palette.font}`;
  const wide = measure(word);
  ctx.fillStyle = palette.meaning[role];
  ctx.fillText(word, x + w - 10 - wide, y + 20);
  paintGlyph(ctx, node.state, palette, x + w - 10 - wide - 16, y + 10, 12);
  ctx.font = `12px ${palette.font}`;
  ctx.fillStyle = isIdle(node) ? palette.secondary : palette.text;
  ctx.fillText(clipped(node.id, w - wide - 48, measure), x + 10, y + 20);
  const lines = wrappedLines(node.description, 2, w - 20, measure, language);
  lines.forEach((line, at) => {
    const below = y + 40 + at * 16;
    ctx.fillText(line, x + 10, below);
    if (isStruck(node)) ctx.fillRect(x + 10, below - 4, measure(line), 1);
  });
}

/** The one line of a compact unit: its shape says the status. */
function paintLine(ctx: Ctx, { palette }: Painting, { node, place, closed }: SceneUnit): void {
  paintGlyph(ctx, node.state, palette, place.x + 10, place.y + place.h / 2 - 6, 12);
  ctx.font = `12px ${palette.font}`;
  ctx.fillStyle = isIdle(node) ? palette.secondary : palette.text;
  ctx.textBaseline = "middle";
  const measure = (text: string) => ctx.measureText(text).width;
  const text = clipped(lineText(node, closed), place.w - 38, measure);
  ctx.fillText(text, place.x + 28, place.y + place.h / 2 + 1);
  if (isStruck(node)) ctx.fillRect(place.x + 28, place.y + place.h / 2, measure(text), 1);
}

/** A unit in one line. */
export function lineText(node: WorkNode, closed: boolean): string {
  const progress = closed && node.progress ? say(t.common.doneOf, node.progress) : "";
  return [node.id, progress, node.description.slice(0, 400)].filter((part) => part !== "").join("  ");
}
