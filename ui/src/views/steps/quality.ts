import type { Criterion, Quality } from "../../host/bindings";
import { filled, isWhole, orNull } from "./form";

/** A check by score while it is edited. */
export interface QualityForm {
  criteria: string;
  /** Kept as it is; where there is one, the text is not used. */
  readonly rubric: readonly Criterion[];
  /** As a person says it: 3.5. */
  threshold: number | null;
  scope: string;
}

const LEAST = 101;
const MOST = 500;

export function emptyQuality(): QualityForm {
  return { criteria: "", rubric: [], threshold: 3.5, scope: "" };
}

const hundredths = (value: number) => Math.round(value * 100);

export function goodThreshold(threshold: number | null): boolean {
  return threshold !== null && isWhole(hundredths(threshold), LEAST, MOST);
}

export function goodQuality(form: QualityForm): boolean {
  return (form.rubric.length > 0 || filled(form.criteria)) && goodThreshold(form.threshold);
}

export function qualityOf(form: QualityForm): Quality {
  return {
    criteria:
      form.rubric.length > 0
        ? { shape: "rubric", of: [...form.rubric] }
        : { shape: "text", of: form.criteria.trim() },
    pass_threshold: hundredths(form.threshold ?? 0),
    scope: orNull(form.scope),
  };
}
