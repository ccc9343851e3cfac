import {
  AOT_FORMS,
  type BaseCase,
  type Check,
  type CheckKind,
  type CheckItem,
  type CheckPart,
  type Quality,
} from "../../host/bindings";
import { filled } from "./form";
import { criterionForm, emptyQuality, goodQuality, qualityOf, type QualityForm } from "./quality";

/** What one check asks, as a person chooses it. */
export type PartKind = CheckKind | "quality";

/** A floor for the coverage: what `80:coverage/lcov.info` says. */
interface Floor {
  percent: number | null;
  report: string;
}

export function floorOf(value: string): Floor {
  const at = value.indexOf(":");
  if (at < 0) return { percent: null, report: value };
  const percent = value.slice(0, at).trim();
  return {
    percent: percent === "" || Number.isNaN(Number(percent)) ? null : Number(percent),
    report: value.slice(at + 1),
  };
}

export function coverageOf({ percent, report }: Floor): string {
  return `${percent ?? ""}:${report}`;
}

/** An item while it is edited: what it was before another part was chosen is not lost. */
export interface ItemForm {
  item: string;
  part: CheckPart["part"];
  check: Check;
  quality: QualityForm;
  items: ItemForm[];
}

export interface CheckForm {
  shape: BaseCase["shape"];
  single: Check;
  quality: QualityForm;
  items: ItemForm[];
  /** Checks of the file that a form cannot write: those of unknown kinds. */
  lost: number;
}

export function emptyItem(): ItemForm {
  return {
    item: "",
    part: "check",
    check: { kind: AOT_FORMS.check_kinds[0], value: "" },
    quality: emptyQuality(),
    items: [],
  };
}

export function qualityForm(quality: Quality): QualityForm {
  const { criteria } = quality;
  return {
    criteria: criteria.shape === "text" ? criteria.of : "",
    rubric: criteria.shape === "rubric" ? criteria.of.map(criterionForm) : [],
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

/** Checks as a form edits them: those of a draft, of a template, or those that stand in the file. */
export function checkForm(base: BaseCase | null, lost = 0): CheckForm {
  const form: CheckForm = {
    shape: base?.shape ?? "single",
    single: emptyItem().check,
    quality: emptyQuality(),
    items: [emptyItem()],
    lost,
  };
  if (base?.shape === "single") return { ...form, single: { ...base.of } };
  if (base?.shape === "quality") return { ...form, quality: qualityForm(base.of) };
  return base && base.of.length > 0 ? { ...form, items: base.of.map(itemForm) } : form;
}

function goodItem(item: ItemForm): boolean {
  if (!filled(item.item)) return false;
  if (item.part === "quality") return goodQuality(item.quality);
  return item.part === "check" ? filled(item.check.value) : goodItems(item.items);
}

function goodItems(items: readonly ItemForm[]): boolean {
  return items.length > 0 && items.every(goodItem);
}

export function goodChecks(form: CheckForm): boolean {
  if (form.shape === "quality") return goodQuality(form.quality);
  return form.shape === "single" ? filled(form.single.value) : goodItems(form.items);
}

function checkOf(check: Check): Check {
  return { kind: check.kind, value: check.value.trim() };
}

function partOf(form: ItemForm): CheckPart {
  if (form.part === "check") return { part: "check", of: checkOf(form.check) };
  if (form.part === "quality") return { part: "quality", of: qualityOf(form.quality) };
  return { part: form.part, of: form.items.map(writtenItem) };
}

function writtenItem(form: ItemForm): CheckItem {
  return { item: form.item.trim(), part: partOf(form) };
}

export function baseCaseOf(form: CheckForm): BaseCase {
  if (form.shape === "single") return { shape: "single", of: checkOf(form.single) };
  if (form.shape === "quality") return { shape: "quality", of: qualityOf(form.quality) };
  return { shape: "checklist", of: form.items.map(writtenItem) };
}
