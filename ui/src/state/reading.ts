import { getContext, setContext } from "svelte";

/** Where the parts of a loop are shown: on its page, or within a version of the past, where nothing can be done. */
export interface Reading {
  /** A version of the past: no control, no repair, no data that is asked of the present file. */
  readonly past: boolean;
  /** Shows a line of the text these parts come from. */
  showLine(line: number | null): void;
}

const READING = Symbol("reading");

export function provideReading(reading: Reading): Reading {
  return setContext(READING, reading);
}

/** Null on the page of a loop. */
export function useReading(): Reading | null {
  return getContext<Reading | undefined>(READING) ?? null;
}
