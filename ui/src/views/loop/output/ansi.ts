/** Colours of terminals as roles of the theme. */
export type Ink = "red" | "green" | "yellow" | "blue" | "magenta" | "cyan" | "faint";

/** A stretch of text that looks the same. */
export interface Segment {
  readonly text: string;
  readonly ink: Ink | null;
  /** Colour behind the text; the text itself is then plain. */
  readonly back: Ink | null;
  readonly bold: boolean;
  readonly dim: boolean;
  readonly italic: boolean;
  readonly underline: boolean;
  readonly struck: boolean;
}

type Look = { -readonly [Key in keyof Omit<Segment, "text">]: Segment[Key] };

const plain = (): Look => ({
  ink: null,
  back: null,
  bold: false,
  dim: false,
  italic: false,
  underline: false,
  struck: false,
});

/** Changes of colour after which the rest of a row stays as it is: a page must not be built of single letters. */
const MOST_SEGMENTS = 400;

// Black and white depend on the background of a terminal; here they are the plain text of the theme.
const INKS: readonly (Ink | null)[] = [null, "red", "green", "yellow", "blue", "magenta", "cyan", null];
const BRIGHT: readonly (Ink | null)[] = ["faint", ...INKS.slice(1)];

/** SGR, the one kind of sequence that is understood. */
const SGR = /^(?:\x1b\[|\x9b)([\d;:]*)m/;
/**
 * Everything that a terminal would obey. Other sequences with parameters; strings up to their end (title, links,
 * clipboard), also those that are cut off; short sequences; single control characters but tab and line feed.
 */
const CODES =
  /(?:\x1b\[|\x9b)[\x30-\x3f]*[\x20-\x2f]*[\x40-\x7e]?|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)?|\x1b[\x20-\x2f]*[\x30-\x7e]?|[\x00-\x08\x0b-\x1f\x7f-\x9f]/g;
/** Signs that turn the direction of everything behind them. */
const TURNING = /[\u202a-\u202e\u2066-\u2069\u200e\u200f\u061c]/g;

/** Hue of a colour, as one of the inks. */
function inkOf(red: number, green: number, blue: number): Ink | null {
  const most = Math.max(red, green, blue);
  const least = Math.min(red, green, blue);
  if (most - least < 40) return most > 60 && most < 170 ? "faint" : null;
  const half = (most + least) / 2;
  const [r, g, b] = [red > half, green > half, blue > half];
  const code = (r ? 1 : 0) + (g ? 2 : 0) + (b ? 4 : 0);
  return INKS[code] ?? null;
}

/** One of the 256 colours. */
function paletteInk(index: number): Ink | null {
  if (index < 8) return INKS[index] ?? null;
  if (index < 16) return BRIGHT[index - 8] ?? null;
  if (index >= 232) return inkOf((index - 232) * 10 + 8, (index - 232) * 10 + 8, (index - 232) * 10 + 8);
  const steps = [0, 95, 135, 175, 215, 255];
  const at = index - 16;
  const step = (by: number) => steps[Math.floor(at / by) % 6] ?? 0;
  return inkOf(step(36), step(6), step(1));
}

/** The colour behind 38 or 48, and how many numbers it took. */
function wideInk(codes: readonly number[]): [ink: Ink | null, taken: number] {
  if (codes[0] === 5) return [paletteInk(codes[1] ?? 0), 2];
  if (codes[0] === 2) return [inkOf(codes[1] ?? 0, codes[2] ?? 0, codes[3] ?? 0), 4];
  return [null, 0];
}

const OFF: Readonly<Record<number, (look: Look) => void>> = {
  22: (look) => Object.assign(look, { bold: false, dim: false }),
  23: (look) => (look.italic = false),
  24: (look) => (look.underline = false),
  29: (look) => (look.struck = false),
  39: (look) => (look.ink = null),
  49: (look) => (look.back = null),
};
const ON: Readonly<Record<number, (look: Look) => void>> = {
  0: (look) => Object.assign(look, plain()),
  1: (look) => (look.bold = true),
  2: (look) => (look.dim = true),
  3: (look) => (look.italic = true),
  4: (look) => (look.underline = true),
  9: (look) => (look.struck = true),
  ...OFF,
};

function obey(look: Look, parameters: string): void {
  const codes = parameters.split(/[;:]/).map((code) => (code === "" ? 0 : Number(code)));
  for (let at = 0; at < codes.length; at += 1) {
    const code = codes[at] as number;
    if (code === 38 || code === 48) {
      const [ink, taken] = wideInk(codes.slice(at + 1));
      if (code === 38) look.ink = ink;
      else look.back = ink;
      at += taken;
    } else if (code >= 30 && code <= 37) look.ink = INKS[code - 30] ?? null;
    else if (code >= 90 && code <= 97) look.ink = BRIGHT[code - 90] ?? null;
    else if (code >= 40 && code <= 47) look.back = INKS[code - 40] ?? null;
    else if (code >= 100 && code <= 107) look.back = BRIGHT[code - 100] ?? null;
    else ON[code]?.(look);
  }
}

/** A line that was written over itself (a progress bar) shows what was written last. */
function overwritten(text: string): string {
  if (!text.includes("\r")) return text;
  return text
    .replace(/\r+\n/g, "\n")
    .split("\n")
    .map((line) => line.replace(/\r+$/, "").split("\r").at(-1) ?? "")
    .join("\n");
}

/** Text with its colours as roles of the theme. Nothing else that it asks of a terminal is done. */
export function segmentsOf(source: string): Segment[] {
  const text = overwritten(source).replace(TURNING, "");
  const found: Segment[] = [];
  const look = plain();
  let from = 0;
  const add = (piece: string) => {
    if (piece === "") return;
    const last = found.at(-1);
    const same = last && (Object.keys(look) as (keyof Look)[]).every((key) => last[key] === look[key]);
    if (last && (same || found.length >= MOST_SEGMENTS)) {
      found[found.length - 1] = { ...last, text: last.text + piece };
    } else found.push({ ...look, text: piece });
  };
  for (const match of text.matchAll(CODES)) {
    add(text.slice(from, match.index));
    from = match.index + match[0].length;
    const colours = SGR.exec(match[0]);
    if (colours) obey(look, colours[1] ?? "");
  }
  add(text.slice(from));
  return found;
}

/** The text without anything that a terminal would obey. */
export function withoutCodes(source: string): string {
  return overwritten(source).replace(TURNING, "").replace(CODES, "");
}

const DELETE = 0x7f;
const PICTURES = 0x2400;

/** The text exactly as it came: control characters are seen and do nothing. */
export function asItCame(source: string): string {
  return [...source]
    .map((sign) => {
      const code = sign.codePointAt(0) ?? 0;
      if (code === 0x0a || code === 0x09) return sign;
      if (code < 0x20) return String.fromCodePoint(PICTURES + code);
      if (code === DELETE) return "\u2421";
      if (code >= 0x80 && code < 0xa0) return `<${code.toString(16)}>`;
      TURNING.lastIndex = 0;
      return TURNING.test(sign) ? `<${code.toString(16)}>` : sign;
    })
    .join("");
}
