import type { DebugView } from "../../../host/bindings";
import { block, code, parts, plain, table } from "../../../state/markdown";
import { say, t } from "../../../words/language.svelte";
import { verdictText } from "../../../words/phrases";
import type { Card } from "./cards";
import { fileAndLine } from "./location";
import { evidenceText, rankText } from "./phrases";

const bold = (text: string) => `**${plain(text)}**`;
const fact = (name: string, value: string) => (value === "" ? "" : `- ${bold(name)}: ${value}`);

/** One hypothesis to paste into a chat. */
export function cardAsMarkdown(card: Card): string {
  const { of } = card;
  return parts(
    `### ${plain(of.id)} – ${plain(of.description)}`,
    [
      fact(t.debugTab.verdict, plain(verdictText(of))),
      fact(t.debugTab.rank, plain(rankText(of))),
      fact(t.debugTab.condition, plain(of.testable_condition)),
      fact(t.debugTab.mechanism, plain(of.mechanism ?? "")),
      fact(t.debugTab.confirmIf, plain(of.confirm)),
      fact(t.debugTab.rejectIf, plain(of.reject)),
      fact(t.debugTab.location, code(of.logging_point)),
      fact(t.debugTab.why, plain(of.verdict_reason ?? "")),
      fact(t.board.evidence, plain(evidenceText(of))),
    ]
      .filter((line) => line !== "")
      .join("\n"),
    of.evidence !== null && of.evidence.trim() !== "" && block(of.evidence, "json"),
  );
}

/** All that is shown, as a table under what is being looked for. */
export function boardAsMarkdown(debug: DebugView, cards: readonly Card[], all: number): string {
  const cause = debug.hypotheses.find((one) => one.id === debug.confirmed);
  const named = debug.confirmed && bold(say(t.debugTab.rootCause, { id: debug.confirmed }));
  return parts(
    `### ${plain(t.debugTab.hypotheses)}`,
    debug.active_bug && `${bold(t.debugTab.activeBug)}: ${plain(debug.active_bug)}`,
    named && (cause ? `${named} – ${plain(cause.description)}` : named),
    table(
      [
        t.debugTab.rank,
        t.work.id,
        t.debugTab.verdict,
        t.debugTab.claim,
        t.debugTab.location,
        t.board.evidence,
        t.debugTab.why,
      ],
      cards.map((card) => [
        plain(rankText(card.of)),
        plain(card.of.id),
        plain(verdictText(card.of)),
        plain(card.of.description),
        inCell(card.of.place ? code(fileAndLine(card.of.place)) : ""),
        plain(evidenceText(card.of)),
        plain(card.of.verdict_reason ?? ""),
      ]),
    ),
    cards.length < all && plain(say(t.board.shownOf, { shown: cards.length, total: all })),
  );
}

/** A bar would end the cell, in code too. */
function inCell(text: string): string {
  return text.replaceAll("|", "\\|");
}
