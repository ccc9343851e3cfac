import type { Shape } from "../../../components/shapes";

/** An outline in a 16 px box, for canvas and exported pictures; the page itself draws `Shape`. */
export interface Glyph {
  readonly fill?: string;
  readonly line?: string;
  readonly width?: number;
}

const circle = (x: number, y: number, r: number) =>
  `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0Z`;

const QUESTION: Glyph = {
  line: "M5 5.7A3 3 0 1 1 8.8 8.6C8.2 8.9 8 9.3 8 10.3",
  fill: circle(8, 13.3, 1.3),
  width: 2,
};

const GLYPHS: Readonly<Partial<Record<Shape, Glyph>>> = {
  circle: { fill: circle(8, 8, 6) },
  ring: { line: circle(8, 8, 5), width: 3 },
  gap: { line: "M10.6 3.5a5.2 5.2 0 1 1-5.2 0", width: 2 },
  barred: { line: `${circle(8, 8, 5.4)}M4.3 4.3 11.7 11.7`, width: 2 },
  bars: { fill: "M3.5 2.5h3v11h-3zM9.5 2.5h3v11h-3z" },
  square: { fill: "M2.5 2.5h11v11h-11z" },
  "square-outline": { line: "M3 3h10v10h-10z", width: 2 },
  tick: { line: "m2.5 8.5 3.7 3.8 7.3-8.5", width: 2.6 },
  cross: { line: "m3.3 3.3 9.4 9.4m0-9.4-9.4 9.4", width: 2.8 },
  broken: {
    line: "M8.7 2.6a5.4 5.4 0 0 1 4.6 4.1M13.3 9.8a5.4 5.4 0 0 1-4 3.5M6.2 13.1a5.4 5.4 0 0 1-3.5-4M2.8 6.2a5.4 5.4 0 0 1 2.6-3",
    width: 2.5,
  },
  octagon: { fill: "M5.2 1.5h5.6l3.7 3.7v5.6l-3.7 3.7H5.2l-3.7-3.7V5.2Z" },
  speech: {
    fill: "M3.5 2h9A1.5 1.5 0 0 1 14 3.5v6A1.5 1.5 0 0 1 12.5 11H8l-4 4v-4h-.5A1.5 1.5 0 0 1 2 9.5v-6A1.5 1.5 0 0 1 3.5 2Z",
  },
};

export function unitGlyph(shape: Shape): Glyph {
  return GLYPHS[shape] ?? QUESTION;
}
