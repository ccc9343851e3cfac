import type { DebugView } from "../../../host/bindings";
import { fencedCode, inlineCode, joinedParts, plainText, markdownTable } from "../../../state/markdown";
import { say, t } from "../../../words/language.svelte";
import { verdictText } from "../../../words/loop-phrases";
import type { Card } from "./cards";
import { fileAndLine } from "./location";
import { hypothesisEvidence, rankText } from "./phrases";

const bold = (text: string) => `**${plainText(text)}**`;
const fact = (name: string, value: string) => (value === "" ? "" : `- ${bold(name)}: ${value}`);

/** One hypothesis to paste into a chat. */
export function cardAsMarkdown(card: Card): string {
  const { of } = card;
  return joinedParts(
    `### ${plainText(of.id)} – ${plainText(of.description)}`,
    [
      fact(t.common.verdict, plainText(verdictText(of))),
      fact(t.debugTab.rank, plainText(rankText(of))),
      fact(t.debugTab.condition, plainText(of.testable_condition)),
      fact(t.debugTab.mechanism, plainText(of.mechanism ?? "")),
      fact(t.debugTab.confirmIf, plainText(of.confirm)),
      fact(t.debugTab.rejectIf, plainText(of.reject)),
      fact(t.common.loggingPoint, inlineCode(of.logging_point)),
      fact(t.common.why, plainText(of.verdict_reason ?? "")),
      fact(t.fact.evidence, plainText(hypothesisEvidence(of))),
    ]
      .filter((line) => line !== "")
      .join("\n"),
    of.evidence !== null && of.evidence.trim() !== "" && fencedCode(of.evidence, "json"),
  );
}

/** All that is shown, as a table under what is being looked for. */
export function boardAsMarkdown(debug: DebugView, cards: readonly Card[], all: number): string {
  const cause = debug.hypotheses.find((one) => one.id === debug.confirmed);
  const named = debug.confirmed && bold(say(t.debugTab.rootCause, { id: debug.confirmed }));
  return joinedParts(
    `### ${plainText(t.fact.hypotheses_count)}`,
    debug.active_bug && `${bold(t.common.activeBug)}: ${plainText(debug.active_bug)}`,
    named && (cause ? `${named} – ${plainText(cause.description)}` : named),
    markdownTable(
      [
        t.debugTab.rank,
        t.common.id,
        t.common.verdict,
        t.searchPage.kind.hypothesis,
        t.common.loggingPoint,
        t.fact.evidence,
        t.common.why,
      ],
      cards.map((card) => [
        plainText(rankText(card.of)),
        plainText(card.of.id),
        plainText(verdictText(card.of)),
        plainText(card.of.description),
        inCell(card.of.place ? inlineCode(fileAndLine(card.of.place)) : ""),
        plainText(hypothesisEvidence(card.of)),
        plainText(card.of.verdict_reason ?? ""),
      ]),
    ),
    cards.length < all && plainText(say(t.common.shownOf, { shown: cards.length, total: all })),
  );
}

/** A bar would end the cell, in code too. */
function inCell(text: string): string {
  return text.replaceAll("|", "\\|");
}
