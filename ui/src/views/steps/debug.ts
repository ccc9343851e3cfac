import type { Hypothesis, LoopDetail } from "../../host/bindings";
import { t } from "../../words/language.svelte";
import { filled, gaps, orNull, twice, type StepForm } from "./form";

export const VERDICTS = ["pending", "confirmed", "rejected", "inconclusive"] as const;

/** Evidence is not edited here. */
export type HypothesisForm = Omit<Hypothesis, "evidence" | "verdict_reason"> & { verdict_reason: string };

export interface DebugForm {
  activeBug: string;
  hypotheses: HypothesisForm[];
  /** As they stood in the file: only those that differ are sent. */
  readonly before: readonly string[];
  confirmed: string;
  understanding: string;
}

function known(detail: LoopDetail): HypothesisForm[] {
  const byRank = detail.debug?.hypotheses ?? [];
  return byRank.map((one) => ({
    id: one.id,
    description: one.description,
    testable_condition: one.testable_condition,
    logging_point: one.logging_point,
    confirm: one.confirm,
    reject: one.reject,
    likelihood: one.likelihood,
    status: one.status,
    verdict_reason: one.verdict_reason ?? "",
  }));
}

export function nextHypothesis(all: readonly HypothesisForm[]): HypothesisForm {
  let number = all.length + 1;
  while (all.some((one) => one.id === `H${number}`)) number += 1;
  return {
    id: `H${number}`,
    description: "",
    testable_condition: "",
    logging_point: "",
    confirm: "",
    reject: "",
    likelihood: all.length + 1,
    status: "pending",
    verdict_reason: "",
  };
}

/** Evidence that is left empty stays as the file has it. */
function written(form: HypothesisForm): Hypothesis {
  return { ...form, id: form.id.trim(), evidence: "", verdict_reason: orNull(form.verdict_reason) };
}

const good = (one: HypothesisForm) =>
  filled(one.id) && filled(one.description) && (one.likelihood === null || one.likelihood > 0);

export const debug: StepForm<DebugForm> = {
  begin(detail) {
    const hypotheses = known(detail);
    return {
      activeBug: detail.debug?.active_bug ?? "",
      hypotheses,
      before: hypotheses.map((one) => JSON.stringify(one)),
      confirmed: detail.debug?.confirmed ?? "",
      understanding: "",
    };
  },
  missing: (form) =>
    gaps(
      [t.field.hypotheses, form.hypotheses.every(good)],
      [t.steps.twice, !twice(form.hypotheses.map((one) => one.id))],
      [t.field.understanding, filled(form.understanding)],
    ),
  change: (form) => ({
    kind: "operate",
    operation: {
      format: "loop_v2",
      step: {
        op: "debug",
        active_bug: orNull(form.activeBug),
        hypotheses: form.hypotheses.filter((one) => !form.before.includes(JSON.stringify(one))).map(written),
        confirmed: orNull(form.confirmed),
        understanding: form.understanding.trim(),
      },
    },
  }),
};
