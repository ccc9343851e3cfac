import {
  START_FORM,
  type Control,
  type Format,
  type LoopRow,
  type StopFacts,
  type Verb,
} from "../host/bindings";
import { say, t } from "../words/language.svelte";
import type { Message } from "../words/message";
import { effectText, endsOurs, isRun, verbText } from "../words/phrases";
import { SAME_EFFECT, wordedAs } from "../words/same-words";

/** Verbs that set a loop running. */
export type LaunchVerb = Extract<Verb, "start" | "resume" | "reopen">;
const LAUNCHING: readonly Verb[] = ["start", "resume", "reopen"];

/** Whether the verb starts an agent of ours: Loopdeck drives these formats. */
export function launches(row: Pick<LoopRow, "handling"> | undefined, verb: Verb): verb is LaunchVerb {
  return row !== undefined && row.handling === "driven" && LAUNCHING.includes(verb);
}

const LIMITS: Readonly<Partial<Record<Format, { most: number }>>> = START_FORM.iterations;

/** The highest limit of iterations in this format; formats that are only shown have no limit to lift. */
export function mostIterations(format: Format): number {
  return LIMITS[format]?.most ?? 0;
}

/** The name of a control: where it starts an agent, it says so. */
export function controlName(verb: Verb, row: Pick<LoopRow, "format" | "handling">): string {
  return launches(row, verb) && verb !== "start" ? t.start.verb[verb] : verbText(verb, row);
}

/** The effect of a control on this loop, with an agent of ours where there will be one. */
export function controlEffect(control: Control, row: Pick<LoopRow, "handling" | "run" | "runner">): string {
  if (isRun(row) && endsOurs(control)) return t.runControl.stopOurs;
  const sentences: Readonly<Record<string, Message>> = t.start.effect;
  const own = launches(row, control.verb) ? sentences[wordedAs(control.effect, SAME_EFFECT)] : undefined;
  return own === undefined ? effectText(control) : effectText(control, own);
}

/** What a stop ends, as exactly as it is known. */
export function willEnd(facts: StopFacts | null): string {
  const count = facts?.processes ?? 0;
  if (!facts || count === 0) return t.runControl.willEnd;
  const words = facts.runs > 1 ? t.runControl.willEndMany : t.runControl.willEndCounted;
  return say(words, { count, runs: facts.runs });
}
