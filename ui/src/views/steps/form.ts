import type { AotChange, LoopChange, LoopDetail, Refusal } from "../../host/bindings";
import type { FormStart } from "../../state/dialog";

/**
 * The content of a form and its result. A form contains no rule of a format: it only knows which of
 * its fields must not be empty to be a change at all.
 */
export interface StepForm<F extends object> {
  /** The form as it opens. */
  begin(detail: LoopDetail, start: FormStart): F;
  /** Names of fields that still need something; nothing is sent before there are none. */
  missing(form: F): string[];
  change(form: F): LoopChange;
  /** The change of direction to be previewed; nothing while the form is not complete enough for one. */
  preview?(form: F): AotChange | null;
  /** Whether its fields say themselves why this cannot be written. */
  refusedInPlace?(form: F, refusal: Refusal | null): boolean;
  /** What it is about, for titles and for saying that it is done. */
  about?(form: F): string;
}

export function filled(text: string): boolean {
  return text.trim() !== "";
}

/** The names of those fields that still need something. */
export function gaps(...fields: readonly (readonly [name: string, good: boolean])[]): string[] {
  return [...new Set(fields.filter(([, good]) => !good).map(([name]) => name))];
}

/** One entry per line; blank lines and doubles are left out. */
export function distinctLines(text: string): string[] {
  const lines = text.split("\n").map((line) => line.trim());
  return [...new Set(lines.filter((line) => line !== ""))];
}

/** Nothing for an empty field. */
export function orNull(text: string): string | null {
  return filled(text) ? text.trim() : null;
}

/** How the core numbers the ids of a list. */
export interface IdPattern {
  readonly before: string;
  readonly digits: number;
}

/** The next id of the pattern that none has. */
export function freeId(all: readonly { readonly id: string }[], { before, digits }: IdPattern): string {
  const taken = new Set(all.map((one) => one.id));
  let number = all.length;
  let id: string;
  do {
    number += 1;
    id = before + String(number).padStart(digits, "0");
  } while (taken.has(id));
  return id;
}

export function isWhole(
  value: number | null,
  least: number,
  most = Number.MAX_SAFE_INTEGER,
): value is number {
  return value !== null && Number.isInteger(value) && value >= least && value <= most;
}

/** Whether one text occurs twice; blank ones do not count. */
export function twice(texts: readonly string[]): boolean {
  const said = texts.map((text) => text.trim()).filter((text) => text !== "");
  return new Set(said).size !== said.length;
}
