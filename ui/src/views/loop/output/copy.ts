import { commandLine } from "../../../state/command-line";
import type { OutputRow, RunRow } from "../../../host/bindings";
import { fencedCode, inlineCode, joinedParts, plainText } from "../../../state/markdown";
import { absoluteTime, costText, duration, exactTokens, tokensText } from "../../../words/format";
import { say, t } from "../../../words/language.svelte";
import { stopText } from "../../../words/phrases";
import { withoutCodes } from "./ansi";
import { actionText, agentText, checkedTexts, earlierText, endingOf, noteText, runOption } from "./phrases";
import { copyText } from "./rows";

/** Rows as plain text: what each says, without colours. */
export function asText(rows: readonly OutputRow[]): string {
  return rows.map((row) => (row.kind === "note" ? noteText(row) : copyText(row))).join("\n");
}

function head(row: OutputRow): string {
  const kind = row.ok === false ? `${t.outputKind[row.kind]} (${t.word.failed})` : t.outputKind[row.kind];
  const name = row.name === "" || row.kind === "note" ? "" : ` ${inlineCode(withoutCodes(row.name))}`;
  return `**${plainText(kind)}**${name} · ${absoluteTime(row.at)}`;
}

function rowMarkdown(row: OutputRow): string {
  const text = row.kind === "note" ? noteText(row) : copyText(row);
  return joinedParts(head(row), text.trim() !== "" && fencedCode(text)).trimEnd();
}

/** Lines of plain text that follow each other are one block; everything else says what it is. */
export function rowsMarkdown(run: RunRow | null, rows: readonly OutputRow[]): string {
  const found: string[] = run ? [`**${plainText(runOption(run))}**`] : [];
  let lines: string[] = [];
  const end = () => {
    if (lines.length > 0) found.push(fencedCode(lines.join("\n")));
    lines = [];
  };
  for (const row of rows) {
    if (row.kind === "text") lines.push(copyText(row));
    else {
      end();
      found.push(rowMarkdown(row));
    }
  }
  end();
  return joinedParts(...found);
}

/** A run as a line of names and values. */
export function runMarkdown(run: RunRow): string {
  const line = (name: string, value: string | null) => value !== null && `- ${plainText(name)}: ${value}`;
  const facts = [
    line(t.fact.agent, plainText(agentText(run))),
    line(t.fact.model, run.model && inlineCode(run.model)),
    line(t.fact.task_description, run.task && inlineCode(run.task)),
    line(t.fact.started_at, absoluteTime(run.started)),
    line(t.fact.duration, run.ended === null ? t.output.stillGoing : duration(run.ended - run.started)),
    line(t.common.outcome, plainText(endingOf(run).text)),
    line(t.output.exitCode, run.exit_code === null ? null : String(run.exit_code)),
    line(t.compare.fact.cost, costText(run.cost_usd)),
    line(t.list.columnNames.tokens, exactTokens(run.tokens) ?? tokensText(null)),
    (run.denied ?? 0) > 0 && `- ${say(t.output.deniedShort, { count: run.denied ?? 0 })}`,
    ...checkedTexts(run).map((text) => line(t.output.checkedTitle, plainText(text))),
    line(t.output.stopTitle, run.stop && plainText(stopText(run.stop))),
    line(t.common.folder, inlineCode(run.folder)),
    line(t.output.session, run.session && inlineCode(run.session)),
    line(t.output.earlier, run.resumed && plainText(earlierText(run) ?? "")),
    line(t.fact.process, run.pid === null ? null : String(run.pid)),
    line(t.output.log, inlineCode(run.log)),
  ].filter((one): one is string => typeof one === "string");
  return joinedParts(
    `**${plainText(say(t.common.iteration, { number: run.iteration }))} · ${plainText(actionText(run.action))}**`,
    facts.join("\n"),
    run.message && fencedCode(withoutCodes(run.message)),
    fencedCode(commandLine(run.argv), "sh"),
  );
}
