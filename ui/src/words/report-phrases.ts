import type { AttentionRule, LoopReport, Risk, RuleTrial, RunFacts } from "../host/bindings";
import { costText, duration, integer } from "./format";
import { language, say, sentences, t } from "./language.svelte";

function costClauses(runs: RunFacts | null): string[] {
  if (runs === null) return [];
  const clauses = [];
  if (runs.worked_ms > 0) clauses.push(say(t.report.worked, { time: duration(runs.worked_ms) }));
  if (runs.cost_usd !== null) clauses.push(costText(runs.cost_usd));
  else if (runs.tokens !== null) clauses.push(say(t.report.tokens, { count: runs.tokens }));
  return clauses;
}

/** What is known of a loop, each fact a clause of its own; the most telling first. */
function reportClauses({ facts, claims, runs }: Pick<LoopReport, "facts" | "claims" | "runs">): string[] {
  const clauses: string[] = [];
  if (facts?.tests) {
    const { first, last, runs: testRuns } = facts.tests;
    const total = last.total;
    clauses.push(
      testRuns > 1
        ? say(t.report.testsFromTo, { before: first.passed, after: last.passed, total })
        : say(t.report.tests, { passed: last.passed, total }),
    );
  }
  if (facts?.checks && facts.checks.total > 0) clauses.push(say(t.report.checks, { ...facts.checks }));
  if (facts?.atoms) clauses.push(say(t.report.atoms, { ...facts.atoms }));
  // Tasks that checks decide on are not done because their file says so: they are claimed, and proven or not.
  if (facts?.tasks && claims) clauses.push(say(t.proof.of, { ...claims, total: facts.tasks.total }));
  else if (facts?.tasks) clauses.push(say(t.report.tasks, { ...facts.tasks }));
  if (facts && facts.files_changed > 0) clauses.push(say(t.report.files, { count: facts.files_changed }));
  if (facts?.iterations && facts.iterations.limit > 0) {
    const { current, limit } = facts.iterations;
    clauses.push(say(t.report.iterations, { current, limit }));
  }
  return [...clauses, ...costClauses(runs)];
}

/** Facts that belong together, as the language lists them. */
export function listed(texts: readonly string[]): string {
  return texts.join(t.report.between);
}

/** The clauses as one sentence. */
export function reportSentence(report: Pick<LoopReport, "facts" | "claims" | "runs">): string {
  return listed(reportClauses(report));
}

export function riskText({ kind, count }: Risk): string {
  return kind === "near_limit" && count === 0 ? t.risk.at_limit : say(t.risk[kind], { count });
}

/** What a loop changed and cost; its other figures are shown where they are looked for. */
export function spentText({ facts, runs }: Pick<LoopReport, "facts" | "runs">): string {
  const files = facts && facts.files_changed > 0 ? [say(t.report.files, { count: facts.files_changed })] : [];
  return listed([...files, ...costClauses(runs)]);
}

/** All risks of a loop: those of its state, and what only its runs tell. */
export function risksOf({ facts, runs }: Pick<LoopReport, "facts" | "runs">): Risk[] {
  const denied = runs?.denied ?? 0;
  const raised = runs?.limits_raised ?? 0;
  return [
    ...(facts?.risks ?? []),
    ...(denied > 0 ? [{ kind: "denied_permissions" as const, count: denied }] : []),
    ...(raised > 0 ? [{ kind: "limits_raised" as const, count: raised }] : []),
  ];
}

/** A rule of the person that a loop meets. */
export function firedText({ kind, limit }: AttentionRule): string {
  const amount = kind === "cost" ? costText(limit) : integer(limit);
  return say(t.rules.fired[kind], { limit: amount });
}

/** What a rule would have done in the past. */
export function trialText({ fired, days, hits, partial }: RuleTrial): string {
  const count = partial ? say(t.dialog.atLeast, { count: fired }) : fired;
  const would = say(t.rules.trial, { count, days });
  if (fired === 0) return would;
  const named = [...new Set(hits.map(({ title }) => title))].slice(0, 3);
  const titles = new Intl.ListFormat(language.locale, { type: "conjunction" }).format(named);
  return sentences(would, say(t.rules.lastTimes, { titles }));
}
