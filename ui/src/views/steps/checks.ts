import type { BaseCase, Check, CheckItem, CheckPart, ChecklistRow } from "../../host/bindings";
import { filled } from "./form";
import { emptyQuality, formOfQuality, goodQuality, qualityOf, type QualityForm } from "./quality";

/** Checks that need no judge. */
export const CHECK_KINDS = ["command", "not_command", "file", "not_file", "assertion"] as const;
export type CheckKind = (typeof CHECK_KINDS)[number];

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
    check: { kind: "command", value: "" },
    quality: emptyQuality(),
    items: [],
  };
}

function isKind(word: string | null): word is CheckKind {
  return CHECK_KINDS.includes(word as CheckKind);
}

function itemOf(row: ChecklistRow): ItemForm | null {
  const item = { ...emptyItem(), item: row.item };
  if (row.kind === "group" || row.kind === "any_of") return { ...item, part: row.kind };
  if (row.check_type === "quality") return { ...item, part: "quality", quality: formOfQuality(row) };
  if (!isKind(row.check_type)) return null;
  return { ...item, check: { kind: row.check_type, value: row.value ?? "" } };
}

/** The rows of a checklist, which come flat in reading order, as a tree again. */
export function formOfChecks(rows: readonly ChecklistRow[]): CheckForm {
  const top: ItemForm[] = [];
  /** Where rows of each depth belong. */
  const places: ItemForm[][] = [top];
  let lost = 0;
  for (const row of rows) {
    const item = itemOf(row);
    if (!item) {
      lost += 1;
      continue;
    }
    places.length = Math.min(places.length, row.depth + 1);
    places.at(-1)?.push(item);
    places.push(item.items);
  }
  const [first = emptyItem()] = top;
  const alone = top.length === 1 && first.item === "";
  const shape =
    alone && first.part === "check" ? "single" : alone && first.part === "quality" ? "quality" : null;
  const begun = shape === null ? emptyItem() : first;
  return {
    shape: shape ?? "checklist",
    single: begun.check,
    quality: begun.quality,
    items: shape !== null || top.length === 0 ? [emptyItem()] : top,
    lost,
  };
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
