import { LOOP_V2_FORMS, type Hypothesis, type LoopDetail } from "../../host/bindings";
import { t } from "../../words/language.svelte";
import { filled, freeId, gaps, orNull, twice, type StepForm } from "./form";

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
  return {
    id: freeId(all, LOOP_V2_FORMS.hypothesis_id),
    description: "",
    testable_condition: "",
    logging_point: "",
    confirm: "",
    reject: "",
    likelihood: all.length + 1,
    status: LOOP_V2_FORMS.verdicts[0],
    verdict_reason: "",
  };
}

/** Evidence that is not sent stays as the file has it. */
function written(form: HypothesisForm): Hypothesis {
  return { ...form, id: form.id.trim(), verdict_reason: orNull(form.verdict_reason) };
}

const good = (one: HypothesisForm) =>
  filled(one.id) &&
  filled(one.description) &&
  (one.likelihood === null || one.likelihood > LOOP_V2_FORMS.likelihood_above);

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
      [t.fact.hypotheses_count, form.hypotheses.every(good)],
      [t.steps.twice, !twice(form.hypotheses.map((one) => one.id))],
      [t.board.understanding, filled(form.understanding)],
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
