import { inlineCode, joinedParts, plainText } from "../../../state/markdown";
import { fullTime } from "../../../words/format";
import { fill, say, t } from "../../../words/language.svelte";
import { missingText } from "../../../words/phrases";
import { needText, stateText, type WorkModel, type WorkNode } from "./model";

const DEEPEST = 12;

function needsOf(model: WorkModel, node: WorkNode): string {
  return node.needs
    .map((need) => say(t.units.noted, { name: inlineCode(need.id), note: plainText(needText(model, need)) }))
    .join(t.units.listSeparator);
}

function line(model: WorkModel, node: WorkNode): string {
  const pieces = [`**${inlineCode(node.id)}** ${plainText(node.description)}`, plainText(stateText(node))];
  if (node.progress) pieces.push(say(t.common.doneOf, node.progress));
  if (node.group) pieces.push(say(t.common.oneOf, { group: inlineCode(node.group) }));
  if (node.needs.length > 0)
    pieces.push(say(t.units.labelled, { name: t.common.waitsFor, value: needsOf(model, node) }));
  return `${"  ".repeat(Math.min(node.depth, DEEPEST))}- ${pieces.join(" · ")}`;
}

/** The whole graph as a nested list. */
export function graphMarkdown(model: WorkModel, title: string): string {
  const lines: string[] = [];
  const stack = model.nodes.filter((node) => node.parent === null).reverse();
  const told = new Set<string>();
  for (let node = stack.pop(); node; node = stack.pop()) {
    if (told.has(node.id)) continue;
    told.add(node.id);
    lines.push(line(model, node));
    for (const id of [...node.children].reverse()) {
      const child = model.byId.get(id);
      if (child) stack.push(child);
    }
  }
  const missing = [...model.missing].map(
    ([id, by]) => `- ${missingText(inlineCode(id), by.map(inlineCode).join(t.units.listSeparator))}`,
  );
  return joinedParts(
    `## ${plainText(title)}`,
    plainText(countText(model)),
    lines.join("\n"),
    missing.join("\n"),
  );
}

/** “5 of 9 resolved · 1 not chosen”. */
export function countText({ totals: { done, active, idle } }: WorkModel): string {
  const counted = say(t.report.atoms, { done, total: active });
  return idle === 0 ? counted : `${counted} · ${say(t.graph.idle, { count: idle })}`;
}

function labelled(name: string, value: string): string | null {
  return value === "" ? null : `- ${say(t.units.labelled, { name, value })}`;
}

/** One unit with everything that its drawer shows. */
export function unitMarkdown(model: WorkModel, node: WorkNode): string {
  const list = (ids: readonly string[]) => ids.map(inlineCode).join(t.units.listSeparator);
  const blockers = node.blockedBy.map((one) => fill(t.blocker[one.kind], { name: inlineCode(one.name) }));
  const turns = model.turns.filter(({ entry }) => node.group !== null && entry.or_group === node.group);
  const facts = [
    labelled(t.fact.status, plainText(stateText(node))),
    labelled(t.graph.blockedBy, blockers.join(t.units.listSeparator)),
    labelled(t.common.waitsFor, needsOf(model, node)),
    labelled(t.common.neededBy, list(node.neededBy)),
    labelled(t.work.parent, node.parent ? inlineCode(node.parent) : ""),
    labelled(t.work.children, list(node.children)),
    labelled(t.graph.whySplit, plainText(node.reason)),
    labelled(t.field.group, node.group ? inlineCode(node.group) : ""),
    ...turns.map(({ number, entry }) =>
      labelled(
        `${number} · ${inlineCode(entry.selected)}`,
        [plainText(entry.reason), entry.time ? fullTime(entry.time) : ""].filter(Boolean).join(" · "),
      ),
    ),
    labelled(t.common.result, plainText(node.summary ?? "")),
    labelled(t.common.artifacts, list(node.artifacts)),
    labelled(t.graph.inFile, node.line === null ? "" : say(t.overview.line, { line: node.line })),
  ];
  return joinedParts(
    `### ${inlineCode(node.id)} ${plainText(node.description)}`,
    facts.filter(Boolean).join("\n"),
  );
}
