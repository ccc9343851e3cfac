import type { Criterion, Quality } from "../../host/bindings";
import { filled, isWhole, orNull } from "./form";

/** One line of a rubric while it is edited. */
export interface CriterionForm {
  criterion: string;
  description: string;
  /** As a person says it: 0.4. Nothing: as much as the others on average. */
  weight: number | null;
  /** What the scores from 1 to 5 mean. */
  levels: string[];
}

/** A check by score while it is edited. */
export interface QualityForm {
  criteria: string;
  /** Where there is one, the text is not used. */
  rubric: CriterionForm[];
  /** As a person says it: 3.5. */
  threshold: number | null;
  scope: string;
}

const LEAST = 101;
const MOST = 500;
const MOST_WEIGHT = 100_000;
/** What a judge can give. */
export const SCORES: readonly number[] = [1, 2, 3, 4, 5];

export function emptyQuality(): QualityForm {
  return { criteria: "", rubric: [], threshold: 3.5, scope: "" };
}

const hundredths = (value: number) => Math.round(value * 100);

export function goodThreshold(threshold: number | null): boolean {
  return threshold !== null && isWhole(hundredths(threshold), LEAST, MOST);
}

export function goodWeight(weight: number | null): boolean {
  return weight === null || isWhole(hundredths(weight), 0, MOST_WEIGHT);
}

function goodRubric(rubric: readonly CriterionForm[]): boolean {
  const named = rubric.every(({ criterion, weight }) => filled(criterion) && goodWeight(weight));
  return named && rubric.some(({ weight }) => weight !== 0);
}

export function goodQuality(form: QualityForm): boolean {
  const judged = form.rubric.length > 0 ? goodRubric(form.rubric) : filled(form.criteria);
  return judged && goodThreshold(form.threshold);
}

export function emptyCriterion(): CriterionForm {
  return { criterion: "", description: "", weight: null, levels: SCORES.map(() => "") };
}

export function criterionForm({ criterion, description, weight, levels }: Criterion): CriterionForm {
  const form = { ...emptyCriterion(), criterion, description: description ?? "" };
  form.weight = weight === null ? null : weight / 100;
  for (const [score, meaning] of levels ?? []) {
    if (SCORES.includes(score)) form.levels[score - 1] = meaning;
  }
  return form;
}

function criterionOf(form: CriterionForm): Criterion {
  const levels = form.levels.flatMap((meaning, at): [number, string][] =>
    filled(meaning) ? [[at + 1, meaning.trim()]] : [],
  );
  const weight = form.weight !== null && goodWeight(form.weight) ? hundredths(form.weight) : null;
  return { criterion: form.criterion.trim(), description: orNull(form.description), weight, levels };
}

/** How much of the score each line makes up, in percent; a line without a weight has the mean of the others. */
export function sharesOf(rubric: readonly CriterionForm[]): number[] {
  const given = rubric.flatMap(({ weight }) => (weight === null || !goodWeight(weight) ? [] : [weight]));
  const mean = given.length === 0 ? 1 : given.reduce((sum, one) => sum + one, 0) / given.length;
  const all = rubric.map(({ weight }) => (weight === null || !goodWeight(weight) ? mean : weight));
  const sum = all.reduce((total, one) => total + one, 0);
  return all.map((one) => (sum > 0 ? (one / sum) * 100 : 0));
}

export function qualityOf(form: QualityForm): Quality {
  return {
    criteria:
      form.rubric.length > 0
        ? { shape: "rubric", of: form.rubric.map(criterionOf) }
        : { shape: "text", of: form.criteria.trim() },
    // One that cannot be is sent as one that is refused by name.
    pass_threshold: goodThreshold(form.threshold) ? hundredths(form.threshold ?? 0) : 0,
    scope: orNull(form.scope),
  };
}
