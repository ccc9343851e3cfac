import type { LoopRow, Verb } from "../../host/bindings";
import type { App } from "../../state/app.svelte";
import { outputOffer, type RunOffer } from "../loop/output/offer";

/** The one thing to do about a loop. */
export type NextStep =
  | { readonly kind: "answer" }
  | { readonly kind: "offer"; readonly offer: RunOffer }
  | { readonly kind: "verb"; readonly verb: Verb }
  /** There is nothing to do but to look at what is wrong with its file. */
  | { readonly kind: "problem" };

/** What a row offers, wherever it is shown; nothing where there is nothing to do. */
export function nextStep(app: App, row: LoopRow): NextStep | null {
  // Of other ends with a question, the verb that continues is the shorter way.
  if (row.word === "needs_you" && app.needs.asking.has(row.key)) return { kind: "answer" };
  const offer = outputOffer(app, row);
  if (offer) return { kind: "offer", offer };
  if (row.primary) return { kind: "verb", verb: row.primary };
  return row.problem !== null && row.errors > 0 ? { kind: "problem" } : null;
}
