import type { BaseCase, CheckItem, Quality } from "../../host/bindings";
import { emptyItem, type CheckForm, type ItemForm } from "../steps/checks";
import { emptyQuality, type QualityForm } from "../steps/quality";

function qualityForm(quality: Quality): QualityForm {
  const { criteria } = quality;
  return {
    criteria: criteria.shape === "text" ? criteria.of : "",
    rubric: criteria.shape === "rubric" ? criteria.of : [],
    threshold: quality.pass_threshold > 0 ? quality.pass_threshold / 100 : null,
    scope: quality.scope ?? "",
  };
}

function itemForm({ item, part }: CheckItem): ItemForm {
  const form = { ...emptyItem(), item };
  if (part.part === "check") return { ...form, check: { ...part.of } };
  if (part.part === "quality") return { ...form, part: "quality", quality: qualityForm(part.of) };
  return { ...form, part: part.part, items: part.of.map(itemForm) };
}

/** Checks as the form edits them, from how a draft or a template keeps them. */
export function checkForm(base: BaseCase | null): CheckForm {
  const form: CheckForm = {
    shape: "single",
    single: { kind: "command", value: "" },
    quality: emptyQuality(),
    items: [emptyItem()],
    lost: 0,
  };
  if (base?.shape === "single") return { ...form, single: { ...base.of } };
  if (base?.shape === "quality") return { ...form, shape: "quality", quality: qualityForm(base.of) };
  if (base?.shape === "checklist") {
    return { ...form, shape: "checklist", items: base.of.length > 0 ? base.of.map(itemForm) : [emptyItem()] };
  }
  return form;
}
