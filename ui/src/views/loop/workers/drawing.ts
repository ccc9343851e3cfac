import type { LoopBPhase, Transition } from "../../../host/bindings";

/** In the order in which they are drawn. */
export const PHASES: readonly LoopBPhase[] = ["init", "develop", "debug", "validate", "complete"];

/** Where the parts of the diagram stand, in pixels, for a given width. */
export interface Drawing {
  readonly width: number;
  readonly height: number;
  readonly nodes: Readonly<Record<LoopBPhase, Box>>;
  /** Where the way parts: is a fix needed; in parallel mode, where results are merged. */
  readonly check: Box;
  readonly edges: readonly Edge[];
  /** The frame around workers that are at once. */
  readonly frame: Box | null;
  readonly labels: readonly Label[];
}

interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface Edge {
  readonly id: Transition;
  readonly path: string;
}

interface Label {
  readonly id: "yes" | "no" | "question";
  readonly x: number;
  readonly y: number;
}

const NODE = 48;
const CHECK = 32;
const WIDEST = 156;
const NARROWEST = 84;
const GAP = { least: 26, most: 104 } as const;
/** The last gap has a word in it, at the fork. */
const WORD = 58;
const ROW = { top: 28, middle: 82, bottom: 136 } as const;
const LOOP = 184;
const TURN = 10;

function columns(width: number) {
  // Where there is hardly room for the boxes, the word has to do with less too.
  const word = Math.max(GAP.least, Math.min(WORD, width - CHECK - 3 * GAP.least - 4 * NARROWEST));
  const node = Math.max(NARROWEST, Math.min(WIDEST, (width - CHECK - word - 3 * GAP.least) / 4));
  const last = Math.max(word, Math.min(GAP.most, (width - CHECK - 4 * node) / 4));
  const gap = Math.max(GAP.least, Math.min(GAP.most, (width - CHECK - last - 4 * node) / 3));
  const x = [0, node + gap, 2 * (node + gap)] as const;
  const check = 3 * (node + gap);
  return { node, gap, init: x[0], develop: x[1], inner: x[2], check, last, complete: check + CHECK + last };
}

const box = (x: number, middle: number, width: number, height = NODE): Box => ({
  x,
  y: middle - height / 2,
  width,
  height,
});

/** From a right side to a left side, leaving and arriving level. */
function curve(x1: number, y1: number, x2: number, y2: number): string {
  const half = (x1 + x2) / 2;
  return y1 === y2 ? `M${x1} ${y1}H${x2}` : `M${x1} ${y1}C${half} ${y1} ${half} ${y2} ${x2} ${y2}`;
}

/** Room in front of a box for the head of an arrow. */
const HEAD = 3;

/** One after the other, with the way back where a fix is needed. */
export function inTurn(width: number): Drawing {
  const at = columns(width);
  const { top, middle, bottom } = ROW;
  const right = (x: number) => x + at.node;
  const centre = at.inner + at.node / 2;
  const diamond = at.check + CHECK / 2;
  const back = at.develop + at.node / 2;
  return {
    width: right(at.complete),
    height: LOOP + 14,
    nodes: {
      init: box(at.init, middle, at.node),
      develop: box(at.develop, middle, at.node),
      debug: box(at.inner, top, at.node),
      validate: box(at.inner, bottom, at.node),
      complete: box(at.complete, middle, at.node),
    },
    check: box(at.check, middle, CHECK, CHECK),
    frame: null,
    edges: [
      { id: "init-develop", path: curve(right(at.init), middle, at.develop - HEAD, middle) },
      { id: "develop-debug", path: curve(right(at.develop), middle - 8, at.inner - HEAD, top) },
      { id: "develop-validate", path: curve(right(at.develop), middle + 8, at.inner - HEAD, bottom) },
      { id: "validate-debug", path: `M${centre + 14} ${bottom - NODE / 2}V${top + NODE / 2 + HEAD}` },
      { id: "debug-validate", path: `M${centre - 14} ${top + NODE / 2}V${bottom - NODE / 2 - HEAD}` },
      { id: "debug-check", path: curve(right(at.inner), top, at.check - HEAD, middle) },
      { id: "validate-check", path: curve(right(at.inner), bottom, at.check - HEAD, middle) },
      { id: "check-complete", path: curve(at.check + CHECK, middle, at.complete - HEAD, middle) },
      {
        id: "check-develop",
        path:
          `M${diamond} ${middle + CHECK / 2}V${LOOP - TURN}Q${diamond} ${LOOP} ${diamond - TURN} ${LOOP}` +
          `H${back + TURN}Q${back} ${LOOP} ${back} ${LOOP - TURN}V${middle + NODE / 2 + HEAD}`,
      },
    ],
    labels: [
      // Right below the fork, where no line goes.
      { id: "question", x: diamond + 6, y: middle + 38 },
      { id: "no", x: at.check + CHECK + at.last / 2, y: middle - 9 },
      { id: "yes", x: (diamond + back) / 2, y: LOOP },
    ],
  };
}

/** Three workers at once, then their results are merged. */
export function atOnce(width: number): Drawing {
  const at = columns(width);
  const { top, middle, bottom } = { top: 44, middle: 104, bottom: 164 };
  // Two columns less than in turn: the workers stand in the middle.
  const inner = (at.develop + at.inner) / 2;
  const right = (x: number) => x + at.node;
  const rows = { develop: top, debug: middle, validate: bottom } as const;
  const three = Object.entries(rows) as [keyof typeof rows, number][];
  return {
    width: right(at.complete),
    height: 208,
    nodes: {
      init: box(at.init, middle, at.node),
      develop: box(inner, top, at.node),
      debug: box(inner, middle, at.node),
      validate: box(inner, bottom, at.node),
      complete: box(at.complete, middle, at.node),
    },
    check: box(at.check, middle, CHECK, CHECK),
    frame: { x: inner - 14, y: 8, width: at.node + 28, height: 192 },
    edges: [
      ...three.flatMap(([phase, y]): Edge[] => [
        { id: `init-${phase}`, path: curve(right(at.init), middle, inner - HEAD, y) },
        { id: `${phase}-merge`, path: curve(right(inner), y, at.check - HEAD, middle) },
      ]),
      { id: "merge-complete", path: curve(at.check + CHECK, middle, at.complete - HEAD, middle) },
    ],
    labels: [{ id: "question", x: at.check + CHECK / 2, y: middle - CHECK / 2 - 10 }],
  };
}
