import type { HypothesisView } from "../../host/bindings";
import { integer } from "../../words/format";
import { language, say, t } from "../../words/language.svelte";
import { fillSlots, pickForm } from "../../words/message";
import { wordText } from "../../words/phrases";
import type { Card, ColumnId } from "./cards";

/** “1st”, “2nd”; files may hold likelihoods that are no places, or only how sure the agent is. Empty without any. */
export function rankText({ likelihood, confidence }: HypothesisView): string {
  if (likelihood === null && confidence !== null) return t.board.confidence[confidence];
  if (likelihood === null || !Number.isFinite(likelihood)) return "";
  if (!Number.isInteger(likelihood) || likelihood < 1) return say(t.board.likelihood, { count: likelihood });
  const rules = new Intl.PluralRules(language.id, { type: "ordinal" });
  return fillSlots(pickForm(t.board.rank, likelihood, rules), { count: likelihood }, integer);
}

export function columnText(id: ColumnId): string {
  return id === "other" ? t.board.otherWords : wordText(id);
}

/** The word a file has for a verdict, or that it has none. */
export function verdictText(word: string): string {
  return word.trim() === "" ? t.units.notReported : wordText(word);
}

/** “6 entries · 12 log lines”. */
export function evidenceText({ entries, lines }: Card): string {
  const parts = [
    entries > 0 ? say(t.board.entries, { count: entries }) : "",
    lines > 0 ? say(t.board.lines, { count: lines }) : "",
  ].filter((part) => part !== "");
  return parts.length > 0 ? parts.join(" · ") : t.debugTab.noEvidence;
}
