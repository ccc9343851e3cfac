import type { HypothesisVerdict, HypothesisView } from "../../../host/bindings";
import { integer } from "../../../words/format";
import { language, say, t } from "../../../words/language.svelte";
import { fillSlots, pickForm } from "../../../words/message";
import { wordText } from "../../../words/phrases";

/** “1st”, “2nd”; files may hold likelihoods that are no places, or only how sure the agent is. Empty without any. */
export function rankText({ rank }: Pick<HypothesisView, "rank">): string {
  if (rank === null) return "";
  const { kind, value } = rank.by;
  if (kind === "confidence") return t.board.confidence[value];
  if (kind === "likelihood") return say(t.board.likelihood, { count: value });
  const rules = new Intl.PluralRules(language.id, { type: "ordinal" });
  return fillSlots(pickForm(t.board.rank, value, rules), { count: value }, integer);
}

export function columnText(id: HypothesisVerdict): string {
  return id === "other" ? t.board.otherWords : wordText(id);
}

/** “6 entries · 12 log lines”. */
export function hypothesisEvidence(of: Pick<HypothesisView, "evidence_count" | "log_total">): string {
  const parts = [
    of.evidence_count > 0 ? say(t.reader.entries, { count: of.evidence_count }) : "",
    of.log_total > 0 ? say(t.common.logLines, { count: of.log_total }) : "",
  ].filter((part) => part !== "");
  return parts.length > 0 ? parts.join(" · ") : t.debugTab.noEvidence;
}
