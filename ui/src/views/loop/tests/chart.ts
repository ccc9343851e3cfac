import type { RunView } from "../../../host/bindings";

/** Older ones are in the table of runs. */
const MOST = 30;
const STEP = 20;

/** A run on the chart; heights from 0, the bottom, to 1. */
interface ChartRun {
  /** 0-based, of all runs. */
  readonly run: number;
  /** From 0, the left, to 1. */
  readonly x: number;
  readonly rate: number | null;
  readonly coverage: number | null;
}

interface Chart {
  readonly runs: readonly ChartRun[];
  /** The percentages of the lowest and the highest line. */
  readonly low: number;
  readonly high: number;
}

export function chartOf(all: readonly RunView[]): Chart {
  const first = Math.max(0, all.length - MOST);
  const shown = all.slice(first).map((one) => ({ rate: one.pass_rate, coverage: one.coverage }));
  const values = shown.flatMap(({ rate, coverage }) => [rate, coverage]).filter((one) => one !== null);
  const lowest = values.length > 0 ? Math.min(...values) : 0;
  // Differences of a few per cent must be seen, and nothing may look like nothing left.
  const low = Math.min(100 - STEP, Math.floor(lowest / STEP) * STEP);
  const up = (value: number | null) => (value === null ? null : (value - low) / (100 - low));
  const last = Math.max(1, shown.length - 1);
  const runs = shown.map(({ rate, coverage }, at) => ({
    run: first + at,
    x: shown.length === 1 ? 0.5 : at / last,
    rate: up(rate),
    coverage: up(coverage),
  }));
  return { runs, low, high: 100 };
}

/** Where a run can be pressed: half-way to its neighbours, but never beyond the chart. */
export function placeToPress(
  x: number,
  step: number,
  width: number,
): { readonly left: number; readonly width: number } {
  const half = Math.max(24, step) / 2;
  const left = Math.max(0, x - half);
  return { left, width: Math.min(width, x + half) - left };
}

/** The drawn line, broken where a run says nothing. */
export function pathOf(points: readonly { readonly x: number; readonly y: number | null }[]): string {
  let pen = "M";
  const steps: string[] = [];
  for (const { x, y } of points) {
    if (y === null) {
      pen = "M";
      continue;
    }
    steps.push(`${pen}${x.toFixed(1)} ${y.toFixed(1)}`);
    pen = "L";
  }
  return steps.join("");
}
