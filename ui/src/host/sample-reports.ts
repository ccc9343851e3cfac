import type {
  AttentionRule,
  LoopAccount,
  LoopDetail,
  LoopFacts,
  LoopOutcome,
  LoopReport,
  LoopRow,
  Need,
  Overview,
  OverviewSection,
  ReportOptions,
  RunFacts,
  SectionKind,
  StatusWord,
} from "./bindings";
import { SAMPLE_RUN_CHANGES } from "./sample-run-changes";
import { groupOfWord } from "./sample-rules";

const OUTCOMES: Readonly<Record<StatusWord, LoopOutcome>> = {
  cannot_read: "failed",
  needs_you: "needs_person",
  not_fully_stopped: "needs_person",
  stopping: "stopped",
  pausing: "paused",
  usage_limit: "needs_person",
  silent: "running",
  starting: "running",
  running: "running",
  finishing: "running",
  ended_still_running: "running",
  running_elsewhere: "running",
  limit_reached: "interrupted",
  interrupted: "interrupted",
  agent_unknown: "unknown",
  failed: "failed",
  paused: "paused",
  stopped: "stopped",
  left_by_user: "stopped",
  completed_with_warnings: "succeeded",
  completed: "succeeded",
  not_started: "not_started",
  unknown: "unknown",
};

const SECTIONS: Readonly<Record<LoopOutcome, SectionKind>> = {
  needs_person: "failed",
  failed: "failed",
  interrupted: "failed",
  running: "running",
  succeeded: "finished",
  paused: "waiting",
  stopped: "waiting",
  not_started: "waiting",
  unknown: "waiting",
};

/** Where a loop belongs, as the backend decides it. */
/** When ends were looked at, by the names of the loops. */
type Opened = Readonly<Record<string, number | null>>;

function sectionOf(row: LoopRow, asks: boolean, opened: Opened): SectionKind {
  const isEnd = row.word === "limit_reached" || row.word === "failed";
  const isSeen = isEnd && (opened[row.key] ?? 0) >= row.changed;
  if (asks || (groupOfWord(row.word) === "attention" && !isSeen)) return "needs_person";
  return SECTIONS[OUTCOMES[row.word]];
}

const ORDER: readonly SectionKind[] = ["needs_person", "failed", "running", "finished", "waiting"];

function factsOf(row: LoopRow): LoopFacts {
  const phase = row.phase;
  const facts: LoopFacts = {
    iterations: row.iteration,
    tests: null,
    root_cause: null,
    tasks: null,
    atoms: null,
    checks: null,
    files_changed: 0,
    redirects: 0,
    alternatives_failed: 0,
    risks: row.errors > 0 ? [{ kind: "file_errors", count: row.errors }] : [],
  };
  if (phase?.kind === "atoms") facts.atoms = { done: phase.resolved, total: phase.total };
  if (phase?.kind === "develop") facts.tasks = { done: phase.done, total: phase.total };
  if (phase?.kind === "debug" && phase.confirmed) {
    facts.root_cause = { id: phase.confirmed, text: "The cache key ignores the currency" };
  }
  if (phase?.kind === "validate" && phase.total > 0) {
    const { passed, total } = phase;
    const last = { passed, failed: total - passed, skipped: 0, total, at: row.changed };
    const first = { ...last, passed: Math.floor(passed / 2), failed: total - Math.floor(passed / 2) };
    facts.tests = { first, last, runs: 3 };
    facts.files_changed = 4;
    if (last.failed > 0) facts.risks = [...facts.risks, { kind: "failing_tests", count: last.failed }];
  }
  return facts;
}

const ACTIONS = [
  {
    action: "develop",
    runs: 2,
    worked_ms: 510_000,
    tokens: null,
    cost_usd: 0.31,
    lines: { added: 18, removed: 4 },
  },
  { action: "debug", runs: 1, worked_ms: 244_000, tokens: null, cost_usd: 0.11, lines: null },
];

function runsOf(row: LoopRow): RunFacts | null {
  if (row.run === null) return null;
  return {
    runs: 3,
    limits_raised: row.word === "limit_reached" ? 1 : 0,
    denied: row.word === "needs_you" ? 1 : 0,
    tokens: row.run.tokens,
    cost_usd: row.run.cost_usd,
    worked_ms: 754_000,
    started: row.created,
    ended: null,
    agents: [row.run.agent],
    actions: ACTIONS,
    changes: SAMPLE_RUN_CHANGES,
  };
}

/** A loop of memory as a lead sees it. */
export function sampleReport(
  row: LoopRow,
  needs: readonly Need[],
  rules: readonly AttentionRule[] = [],
  opened: Opened = {},
): LoopReport {
  const own = needs.filter((need) => need.key === row.key);
  const since = own[0]?.since ?? row.changed;
  const fired = row.file_word === "running" ? [...rules] : [];
  const section = sectionOf(row, own.length + fired.length > 0, opened);
  return {
    claims: row.claims,
    key: row.key,
    workspace: row.workspace,
    format: row.format,
    title: row.title,
    notes: { note: "", labels: row.labels },
    word: row.word,
    file_word: row.file_word,
    section,
    outcome: OUTCOMES[row.word],
    reason: row.reason,
    needs: own.map((need) => need.kind),
    fired,
    need_since: section === "needs_person" ? since : null,
    created: row.created,
    changed: row.changed,
    facts: factsOf(row),
    runs: runsOf(row),
  };
}

/** All loops of memory as a lead sees them. */
export function sampleOverview(
  all: readonly LoopRow[],
  needs: readonly Need[],
  {
    visited,
    most,
    rules,
    opened,
  }: {
    readonly visited: number | null;
    readonly most: number;
    readonly rules: readonly AttentionRule[];
    readonly opened: Opened;
  },
): Overview {
  const rows = all.filter(({ marks }) => !marks.archived && marks.snoozed_until === null);
  const since = (row: LoopRow) => needs.find((need) => need.key === row.key)?.since ?? row.changed;
  const newest = [...rows].sort((a, b) => since(b) - since(a));
  const of = (kind: SectionKind) =>
    newest.map((row) => sampleReport(row, needs, rules, opened)).filter(({ section }) => section === kind);
  const sections = ORDER.map((kind): OverviewSection => {
    const placed = of(kind);
    return { kind, total: placed.length, loops: placed.slice(0, most) };
  }).filter((section) => section.total > 0);
  const news = (kind: SectionKind) =>
    of(kind).filter((report) => visited === null || report.changed > visited).length;
  const waiting = of("needs_person").flatMap((report) => report.need_since ?? []);
  return {
    revision: 1,
    left: 0,
    visited,
    totals: {
      loops: rows.length,
      needs_person: waiting.length,
      oldest_need: waiting.length > 0 ? Math.min(...waiting) : null,
      running: of("running").length,
      finished_since: news("finished"),
      failed_since: news("failed"),
    },
    sections,
  };
}

/** What happened, as far as a detail of memory tells: hypotheses, and work that is not done. */
export function sampleAccount(detail: LoopDetail): LoopAccount {
  const judged = (detail.debug?.hypotheses ?? []).flatMap(({ id, description, verdict, verdict_reason }) =>
    verdict === "confirmed" || verdict === "rejected" || verdict === "inconclusive"
      ? [{ kind: verdict, id, text: description, reason: verdict_reason ?? "", time: null }]
      : [],
  );
  const open = detail.tasks.flatMap(({ id, description, state }) =>
    state === "completed"
      ? []
      : [{ kind: state === "failed" ? ("failed_task" as const) : ("task" as const), id, text: description }],
  );
  return {
    goal: detail.metadata.description ?? "",
    decisions: judged,
    files: [],
    checks: [],
    claimed: detail.tasks.flatMap(({ claim }) => (claim ? [claim] : [])),
    accepted: null,
    test_runs: [],
    failed_tests: detail.validation?.failed_tests ?? [],
    open,
  };
}

/** A report as Markdown: only titles, which is enough to look at a preview. */
export function sampleReportText(rows: readonly LoopRow[], options: ReportOptions): string {
  const title = options.title?.trim() || "Loop report";
  const loops = rows.map(
    (row) => `## ${row.title}\n\n**${row.word}** tests passed 3 → 8 of 8, 4 files changed\n`,
  );
  return [`# ${title}\n`, `**${rows.length} loops**\n`, ...loops].join("\n");
}
