import type { ComparedKind, ComparedName, ComparedValue } from "../../host/bindings";
import { costText, duration, integer } from "../../words/format";
import { say, t } from "../../words/language.svelte";
import { factName, known, wordText } from "../../words/phrases";

/** A value of one side, in words; a dash where that side does not have it. */
export function comparedText(value: ComparedValue | null): string {
  if (value === null) return "–";
  switch (value.kind) {
    case "status":
      return value.value.known ? wordText(value.value.known) : value.value.word;
    case "number":
      return integer(value.value);
    case "portion":
      return value.value.total > 0
        ? say(t.common.doneOf, { done: integer(value.value.done), total: integer(value.value.total) })
        : integer(value.value.done);
    case "duration":
      return duration(value.value);
    case "cost":
      return costText(value.value);
    case "check":
      return t.checkResult[value.value];
    case "text":
      return value.value;
  }
}

/** What the rows of a part are about. */
export function partName(kind: ComparedKind): string {
  if (kind === "tests") return t.detail.tabs.tests;
  if (kind === "tasks") return t.fact.total_tasks;
  return kind === "hypotheses" ? t.fact.hypotheses_count : t.compare.part[kind];
}

export function comparedName(name: ComparedName): string {
  return name.kind === "fact" ? (known(t.compare.fact, name.name) ?? factName(name.name)) : name.name;
}
