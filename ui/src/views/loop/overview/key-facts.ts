import type { Role } from "../../../components/shapes";
import type { AotVerification, Fact, LoopDetail, LoopRow } from "../../../host/bindings";
import type { Tab } from "../../../state/place";
import { fill, say, t } from "../../../words/language.svelte";
import { isClaimed } from "../../../words/phrases";
import { progressOf } from "../tasks/headings";
import { standingOf, leadWork, type Standing } from "./lead";
import { isCurrent } from "./verifications";

/** One of the facts at the top of a loop. */
export interface KeyFact {
  readonly id: string;
  readonly label: string;
  readonly value: string;
  /** A sentence rather than a figure. */
  readonly long?: boolean;
  readonly note: string;
  readonly role: Role | null;
  /** Where to see more. */
  readonly tab: Tab | null;
}

const MOST = 3;

/** `verified`: what came of the completion check, where that is still about the work and the checks as they are. */
type Source = (row: LoopRow, detail: LoopDetail, verified: AotVerification | undefined) => KeyFact | null;

const of = (done: number, total: number) => say(t.common.doneOf, { done, total });

const tests: Source = (_row, { validation }) => {
  const run = validation?.runs.at(-1);
  if (!run || run.total === 0) return null;
  return {
    id: "tests",
    label: t.compare.fact.tests,
    value: of(run.passed, run.total),
    note: run.failed > 0 ? say(t.common.failedCount, { count: run.failed }) : t.lead.testsPassed,
    role: run.failed > 0 ? "danger" : "success",
    tab: "tests",
  };
};

const cause: Source = (_row, { debug }) => {
  if (!debug) return null;
  const { confirmed, hypotheses } = debug;
  if (confirmed !== null) {
    const note = hypotheses.find(({ id }) => id === confirmed)?.description ?? "";
    return {
      id: "cause",
      label: t.changed.root_cause,
      value: confirmed,
      note,
      role: "success",
      tab: "debug",
    };
  }
  if (hypotheses.length === 0) return null;
  const judged = hypotheses.filter(({ verdict }) => verdict !== "pending" && verdict !== "other").length;
  const value = of(judged, hypotheses.length);
  return { id: "cause", label: t.lead.hypotheses, value, note: "", role: null, tab: "debug" };
};

const tasks: Source = (row, { tasks: all }) => {
  const { done, total } = progressOf(all);
  if (total === 0) return null;
  const note = all.find(({ state }) => state === "in_progress")?.description ?? "";
  const label = isClaimed(row) ? t.lead.claimed : t.fact.completed_tasks;
  return { id: "work", label, value: of(done, total), note, role: null, tab: "work" };
};

const atoms: Source = ({ phase }) => {
  if (phase?.kind !== "atoms" || phase.total === 0) return null;
  const { resolved, total, ready } = phase;
  const note = ready > 0 ? say(t.lead.ready, { count: ready }) : "";
  return {
    id: "work",
    label: t.compare.fact.atoms,
    value: of(resolved, total),
    note,
    role: null,
    tab: "work",
  };
};

const work: Source = (...args) => atoms(...args) ?? tasks(...args);

/** The fact that the phase of the loop is about. */
const phase: Source = (row, detail, verified) => {
  const kind = leadWork(row, detail)?.kind;
  const source = kind === "validate" ? tests : kind === "debug" ? cause : work;
  return source(row, detail, verified);
};

/** Results of checks are in no file: what was run says more than what the file has as evidence. */
function countsOf({ checklist_total }: LoopDetail, verified: AotVerification | undefined) {
  const counts = checklist_total?.counts;
  if (!counts || !verified) return counts;
  const all = (...verdicts: string[]) =>
    verified.results.filter(({ verdict }) => verdicts.includes(verdict)).length;
  const [pass, fail] = [all("pass"), all("fail")];
  return { ...counts, pass, fail, unknown: Math.max(0, counts.all - pass - fail), none: 0 };
}

const checks: Source = (_row, detail, verified) => {
  const counts = countsOf(detail, verified);
  if (!counts || counts.all === 0) return null;
  const open = counts.unknown + counts.none;
  const note =
    counts.fail > 0
      ? say(t.checkResult.counts.fail, { count: counts.fail })
      : open > 0
        ? say(t.lead.checksUnknown, { count: open })
        : "";
  const role = counts.fail > 0 ? "danger" : counts.pass === counts.all ? "success" : null;
  return {
    id: "checks",
    label: t.compare.fact.checks,
    value: of(counts.pass, counts.all),
    note,
    role,
    tab: null,
  };
};

const reason: Source = (row) =>
  row.reason === null || row.reason === ""
    ? null
    : {
        id: "reason",
        label: t.fact.failure_reason,
        value: row.reason,
        long: true,
        note: "",
        role: null,
        tab: null,
      };

const error: Source = (_row, { errors }) => {
  const last = errors.at(-1);
  if (!last) return null;
  const note = last.action === "" ? "" : fill(t.lead.inAction, { action: last.action });
  const value = last.message;
  return { id: "error", label: t.lead.error, value, long: true, note, role: "danger", tab: "activity" };
};

/** What matters most in each standing, the first three that the loop has. */
const WANTED: Readonly<Record<Standing, readonly Source[]>> = {
  going: [phase, tests, cause, work, checks],
  halted: [reason, phase, tests, work, checks],
  broken: [error, phase, tests, work],
  failed: [reason, error, phase, tests],
  limited: [phase, checks, reason, tests, work],
  done: [tests, cause, work, checks],
  not_started: [work, checks],
  cannot_read: [],
  unknown: [phase, tests],
};

/** The facts at the top; `latest` is the last run of the completion check. */
export function keyFacts(row: LoopRow, detail: LoopDetail, latest?: AotVerification): KeyFact[] {
  const verified = latest && isCurrent(latest, detail.checklist, row.iteration?.current) ? latest : undefined;
  const found = new Map<string, KeyFact>();
  for (const source of WANTED[standingOf(row)]) {
    const fact = source(row, detail, verified);
    if (fact && !found.has(fact.id)) found.set(fact.id, fact);
    if (found.size === MOST) break;
  }
  return [...found.values()];
}

/** Counters of the file that a fact at the top says already, by its id. */
const COUNTERS: Readonly<Record<string, readonly string[]>> = {
  work: ["tasks_total", "tasks_completed"],
  cause: ["hypotheses_count"],
};

/** The plain facts that neither the header nor the facts at the top have said. */
export function furtherFacts(row: LoopRow, detail: LoopDetail, latest?: AotVerification): Fact[] {
  const top = keyFacts(row, detail, latest);
  const counted = top.flatMap(({ id }) => COUNTERS[id] ?? []);
  const said = [row.title, ...top.map(({ value }) => value)];
  return detail.facts.filter(
    ({ name, value }) => !counted.includes(name) && !(value.kind === "text" && said.includes(value.value)),
  );
}
