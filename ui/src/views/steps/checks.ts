import type { BaseCase, Check, CheckItem, CheckKind, ChecklistRow } from "../../host/bindings";
import { filled } from "./form";

export const CHECK_KINDS: readonly CheckKind[] = ["command", "not_command", "file", "not_file", "assertion"];

/** An item while it is edited: what it was before another part was chosen is not lost. */
export interface ItemForm {
  item: string;
  part: "check" | "group" | "any_of";
  check: Check;
  items: ItemForm[];
}

export interface CheckForm {
  shape: BaseCase["shape"];
  single: Check;
  items: ItemForm[];
  /** Checks of the file that a form cannot write: those by score, and those of unknown kinds. */
  lost: number;
}

export function emptyItem(): ItemForm {
  return { item: "", part: "check", check: { kind: "command", value: "" }, items: [] };
}

function isKind(word: string | null): word is CheckKind {
  return CHECK_KINDS.includes(word as CheckKind);
}

function itemOf(row: ChecklistRow): ItemForm | null {
  const item = { ...emptyItem(), item: row.item };
  if (row.kind === "group" || row.kind === "any_of") return { ...item, part: row.kind };
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
  const [only] = top;
  const single = top.length === 1 && only?.part === "check" && only.item === "";
  return {
    shape: single ? "single" : "checklist",
    single: single && only ? only.check : { kind: "command", value: "" },
    items: single || top.length === 0 ? [emptyItem()] : top,
    lost,
  };
}

function goodItem(item: ItemForm): boolean {
  if (!filled(item.item)) return false;
  return item.part === "check" ? filled(item.check.value) : goodItems(item.items);
}

function goodItems(items: readonly ItemForm[]): boolean {
  return items.length > 0 && items.every(goodItem);
}

export function goodChecks(form: CheckForm): boolean {
  return form.shape === "single" ? filled(form.single.value) : goodItems(form.items);
}

function checkOf(check: Check): Check {
  return { kind: check.kind, value: check.value.trim() };
}

function writtenItem(form: ItemForm): CheckItem {
  const item = form.item.trim();
  if (form.part === "check") return { item, part: { part: "check", check: checkOf(form.check) } };
  return { item, part: { part: form.part, items: form.items.map(writtenItem) } };
}

export function baseCaseOf(form: CheckForm): BaseCase {
  if (form.shape === "single") return { shape: "single", check: checkOf(form.single) };
  return { shape: "checklist", items: form.items.map(writtenItem) };
}
