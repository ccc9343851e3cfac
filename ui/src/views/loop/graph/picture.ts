import { markShape } from "../../../components/shapes";
import { say, t } from "../../../words/language.svelte";
import { unitGlyph } from "./glyphs";
import { clipped, wrappedLines } from "./lines";
import { measurer, type Measure } from "./measure";
import { stateText } from "./model";
import { frameText, headOf, lineText, paint, strokeOf } from "./paint";
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

const MARGIN = 24;
/** What canvases of every web view can hold. */
const LONGEST = 12_000;
const LARGEST = 48_000_000;

/** Text within markup; characters that no XML can hold are left out. */
export function escaped(text: string): string {
  return [...text]
    .filter((sign) => /[^\u0000-\u0008\u000b\u000c\u000e-\u001f\ud800-\udfff\ufffe\uffff]/u.test(sign))
    .join("")
    .replace(/&/g, "&amp;")
    .replace(/</g, "&lt;")
    .replace(/>/g, "&gt;")
    .replace(/"/g, "&quot;");
}

interface Ink {
  readonly palette: Palette;
  readonly measure: Measure;
  readonly language: string;
}

const n = (value: number) => String(Math.round(value * 100) / 100);

function frameSvg({ palette, measure }: Ink, frame: SceneFrame): string {
  const { x, y, w, h } = frame.place;
  const dash = frame.node ? "" : ' stroke-dasharray="5 4"';
  const fill = frame.node ? palette.page : "none";
  const line = frame.node ? palette.control : palette.edge;
  const text = escaped(clipped(frameText(frame), w - 24, measure));
  return (
    `<rect x="${n(x)}" y="${n(y)}" width="${n(w)}" height="${n(h)}" rx="8" fill="${fill}" stroke="${line}"${dash}/>` +
    `<text x="${n(x + 12)}" y="${n(y + 18)}" fill="${palette.secondary}">${text}</text>`
  );
}

function edgeSvg({ palette }: Ink, edge: SceneEdge, scene: Scene): string {
  const { color, width, dash: dashes } = strokeOf(edge, palette);
  const dash = dashes.length > 0 ? ` stroke-dasharray="${dashes.join(" ")}"` : "";
  const curves = curveOf(edge.points, scene.direction)
    .map(([, , ...rest]) => `C${rest.map(n).join(" ")}`)
    .join("");
  const head = headOf(edge, scene)
    .map((point) => point.map(n).join(" "))
    .join("L");
  const begin = `M${n(edge.points[0] ?? 0)} ${n(edge.points[1] ?? 0)}`;
  return (
    `<g opacity="${edge.idle ? 0.55 : 1}"><title>${escaped(`${edge.from} → ${edge.to}`)}</title>` +
    `<path d="${begin}${curves}" fill="none" stroke="${color}" stroke-width="${width}"${dash}/>` +
    `<path d="M${head}Z" fill="${color}"/></g>`
  );
}

function ghostSvg({ palette, measure }: Ink, { id, place }: Ghost): string {
  const { x, y, w, h } = place;
  const text = clipped(say(t.units.labelled, { name: id, value: t.common.doesNotExist }), w - 20, measure);
  return (
    `<rect x="${n(x)}" y="${n(y)}" width="${n(w)}" height="${n(h)}" rx="6" fill="${palette.page}" stroke="${palette.attention}" stroke-dasharray="5 4"/>` +
    `<text x="${n(x + 10)}" y="${n(y + h / 2 + 4)}" fill="${palette.attention}">${escaped(text)}</text>`
  );
}

function unitSvg({ palette, measure, language }: Ink, { node, place, closed, compact }: SceneUnit): string {
  const { x, y, w, h } = place;
  const [shape, role] = markShape(node.state);
  const { fill, line, width = 2 } = unitGlyph(shape);
  const color = palette.meaning[role];
  const ink = isIdle(node) ? palette.secondary : palette.text;
  const word = closed && node.progress ? say(t.common.doneOf, node.progress) : stateText(node);
  const wide = measure(word);
  const struck = isStruck(node) ? ' text-decoration="line-through"' : "";
  const behind = closed
    ? `<rect x="${n(x + 4)}" y="${n(y + 4)}" width="${n(w)}" height="${n(h)}" rx="6" fill="${palette.panel}" stroke="${palette.control}"/>`
    : "";
  const glyph =
    (fill ? `<path d="${fill}" fill="${color}"/>` : "") +
    (line
      ? `<path d="${line}" fill="none" stroke="${color}" stroke-width="${width}" stroke-linecap="round" stroke-linejoin="round"/>`
      : "");
  const title = `<title>${escaped(`${node.id} · ${stateText(node)} · ${node.description.slice(0, 2000)}`)}</title>`;
  const box = `<rect x="${n(x)}" y="${n(y)}" width="${n(w)}" height="${n(h)}" rx="6" fill="${palette.panel}" stroke="${node.critical ? palette.text : palette.control}" stroke-width="${node.critical ? 2 : 1}"/>`;
  if (compact) {
    const text = escaped(clipped(lineText(node, closed), w - 38, measure));
    return (
      `<g>${title}${behind}${box}<g transform="translate(${n(x + 10)} ${n(y + h / 2 - 6)}) scale(.75)">${glyph}</g>` +
      `<text x="${n(x + 28)}" y="${n(y + h / 2 + 4)}" fill="${ink}"${struck}>${text}</text></g>`
    );
  }
  const lines = wrappedLines(node.description, 2, w - 20, measure, language).map(
    (text, at) =>
      `<text x="${n(x + 10)}" y="${n(y + 40 + at * 16)}" fill="${ink}"${struck}>${escaped(text)}</text>`,
  );
  return (
    `<g>${title}${behind}${box}` +
    `<text x="${n(x + 10)}" y="${n(y + 20)}" fill="${ink}">${escaped(clipped(node.id, w - wide - 48, measure))}</text>` +
    `<g transform="translate(${n(x + w - 26 - wide)} ${n(y + 10)}) scale(.75)">${glyph}</g>` +
    `<text x="${n(x + w - 10)}" y="${n(y + 20)}" font-size="11" font-weight="600" text-anchor="end" fill="${color}">${escaped(word)}</text>` +
    `${lines.join("")}</g>`
  );
}

/** The whole drawing as a picture of lines; every text of the file is text in it. */
export function svgOf(scene: Scene, palette: Palette, title: string, language: string): string {
  const ink: Ink = { palette, measure: measurer(`12px ${palette.font}`), language };
  const width = scene.width + 2 * MARGIN;
  const height = scene.height + 2 * MARGIN;
  const box = `${-MARGIN} ${-MARGIN} ${n(width)} ${n(height)}`;
  const parts = [
    ...scene.frames.map((frame) => frameSvg(ink, frame)),
    ...scene.edges.map((edge) => edgeSvg(ink, edge, scene)),
    ...scene.ghosts.map((ghost) => ghostSvg(ink, ghost)),
    ...scene.units.map((unit) => unitSvg(ink, unit)),
  ];
  return (
    `<?xml version="1.0" encoding="UTF-8"?>\n` +
    `<svg xmlns="http://www.w3.org/2000/svg" width="${n(width)}" height="${n(height)}" viewBox="${box}" xml:lang="${language}" font-family="${escaped(palette.font)}" font-size="12">\n` +
    `<title>${escaped(title)}</title>\n` +
    `<rect x="${-MARGIN}" y="${-MARGIN}" width="100%" height="100%" fill="${palette.page}"/>\n` +
    `${parts.join("\n")}\n</svg>\n`
  );
}

/** The whole drawing in pixels; nothing where no canvas can hold it. */
export async function pngOf(scene: Scene, palette: Palette, language: string): Promise<Blob | null> {
  const width = scene.width + 2 * MARGIN;
  const height = scene.height + 2 * MARGIN;
  const scale = Math.min(2, LONGEST / Math.max(width, height), Math.sqrt(LARGEST / (width * height)));
  const canvas = document.createElement("canvas");
  canvas.width = Math.max(1, Math.floor(width * scale));
  canvas.height = Math.max(1, Math.floor(height * scale));
  const ctx = canvas.getContext("2d");
  if (!ctx) return null;
  ctx.fillStyle = palette.page;
  ctx.fillRect(0, 0, canvas.width, canvas.height);
  ctx.setTransform(scale, 0, 0, scale, MARGIN * scale, MARGIN * scale);
  const part = { x: 0, y: 0, w: scene.width, h: scene.height };
  paint(ctx, {
    scene,
    palette,
    level: "full",
    part,
    zoom: scale,
    shines: () => true,
    selected: null,
    language,
  });
  return new Promise((done) => canvas.toBlob(done, "image/png"));
}
