import { clipped, wrappedLines } from "./lines";
import { measurer, type Measure } from "./measure";
import type { Palette } from "./palette";
import type { SceneUnit } from "./scene";

/** Measures of the texts of a unit, each in its font. */
export interface Rulers {
  readonly text: Measure;
  readonly id: Measure;
  readonly word: Measure;
  /** Last lines of agents. */
  readonly line: Measure;
}

/** Border and padding at both sides, as the page draws a unit. */
const SIDES = 22;
const LINES = 2;
/** Texts are not looked at farther than this. */
const LONGEST = 400;
/**
 * Parts of a unit's head in one line with the gaps between them, and how much of the line it takes
 * at most.
 */
const LINE = { shape: 11, badge: 17, toggle: 18, word: 5, id: 6, least: 24, most: 0.6, gap: 8 };

export function rulersOf({ font, mono }: Palette): Rulers {
  return {
    text: measurer(`12px ${font}`),
    id: measurer(`600 12px ${mono}`),
    word: measurer(`600 12px ${font}`),
    line: measurer(`12px ${mono}`),
  };
}

/** How wide the head of a unit in one line is: the shape of its status, a word where it has one, its id. */
function headWidth({ node, place, closed }: SceneUnit, word: string, { id, word: wide }: Rulers): number {
  const shape = node.state === "ready" ? LINE.badge : LINE.shape;
  const state = shape + (word === "" ? 0 : LINE.word + wide(word));
  const head =
    (closed ? LINE.toggle : 0) + state + LINE.id + Math.max(LINE.least, id(node.id.slice(0, LONGEST)));
  return Math.min(head, LINE.most * (place.w - SIDES));
}

/**
 * The description of a unit as far as there is room for it, with `word` before it in the head. The page could end it with
 * dots itself, but then it shapes the text again for each frame of a graph that moves: a third of the frame's time.
 */
export function shortened(
  unit: SceneUnit,
  word: string,
  rulers: Rulers,
  language: string,
  lines = LINES,
): string {
  const { place, compact } = unit;
  const text = unit.node.description.slice(0, LONGEST).replace(/\s+/g, " ").trim();
  const room = Math.floor(place.w - SIDES);
  if (!compact) return wrappedLines(text, lines, room, rulers.text, language).join("\n");
  return clipped(text, Math.floor(room - headWidth(unit, word, rulers) - LINE.gap), rulers.text);
}

/** The last line of a unit's agent as far as there is room after `time`, which comes first. */
export function shortenedLine(
  unit: SceneUnit,
  word: string,
  time: string,
  line: string,
  rulers: Rulers,
): string {
  const { place, compact } = unit;
  const head = compact ? headWidth(unit, word, rulers) + LINE.gap : 0;
  const room = Math.floor(place.w - SIDES - head - rulers.word(time) - LINE.gap);
  return room <= 0 ? "" : clipped(line.slice(0, LONGEST), room, rulers.line);
}
