import type { Control, LoopRow, Verb } from "../host/bindings";
import { t } from "../words/language.svelte";
import { effectText, endsOurs, verbText } from "../words/phrases";

/** Verbs that set a loop running. */
export type LaunchVerb = Extract<Verb, "start" | "resume" | "reopen">;
const LAUNCHING: readonly Verb[] = ["start", "resume", "reopen"];
const DRIVEN: readonly LoopRow["format"][] = ["loop_v2", "loop_b"];

/** Whether the verb starts an agent of ours: Loopdeck drives these formats. */
export function launches(row: Pick<LoopRow, "format"> | undefined, verb: Verb): verb is LaunchVerb {
  return row !== undefined && DRIVEN.includes(row.format) && LAUNCHING.includes(verb);
}

/** The name of a control: where it starts an agent, it says so. */
export function controlName(verb: Verb, row: Pick<LoopRow, "format">): string {
  return launches(row, verb) ? t.start.verb[verb] : verbText(verb, row);
}

/** The effect of a control on this loop, with an agent of ours where there will be one. */
export function controlEffect(control: Control, row: Pick<LoopRow, "format" | "run">): string {
  if (row.run?.alive && endsOurs(control)) return t.runControl.stopOurs;
  const sentences: Readonly<Record<string, string>> = t.start.effect;
  const own = launches(row, control.verb) ? sentences[control.effect] : undefined;
  return own === undefined ? effectText(control) : effectText(control, own);
}
