import type {
  ConflictSide,
  ConflictView,
  FinishedTask,
  LoopBPhase,
  LoopDetail,
  LoopRow,
  Resolution,
  WayView,
  WorkerReport,
  WorkerView,
} from "../../../host/bindings";
import { fencedCode, inlineCode, joinedParts, plainText, markdownTable } from "../../../state/markdown";
import { preview, readEvidence, type Value } from "../board/evidence";
import { cutText } from "../../../words/cut";
import { fullTime, integer, percent } from "../../../words/format";
import { say, sentences, t } from "../../../words/language.svelte";
import { wordText } from "../../../words/phrases";

/** A file that cannot be read has no known path. */
export const NO_WAY: WayView = {
  mode: null,
  mode_word: "",
  phases: [],
  visits: [],
  here: null,
  taken: [],
  fork_passed: false,
  wish: null,
};

/** A phase or a worker by its name; one that the format does not know is shown as written. */
export function workerPhaseText(phase: LoopBPhase | null, written = ""): string {
  return phase === null ? written : t.action[phase];
}

export function workerModeText({ mode, mode_word }: Pick<WayView, "mode" | "mode_word">): string {
  if (mode !== null) return t.workersView.mode[mode];
  return mode_word === "" ? t.workersView.noMode : say(t.workersView.modeOther, { mode: mode_word });
}

export function nextText({ next, next_suggestion }: WorkerView): string {
  return workerPhaseText(next, next_suggestion ?? "");
}

export function backText({ back, loop_back_to }: WorkerView): string {
  return workerPhaseText(back, loop_back_to ?? "");
}

export function workerOutcomeText({ outcome, status }: Pick<WorkerView, "outcome" | "status">): string {
  if (outcome !== "other") return wordText(outcome);
  return status === "" ? t.units.statusNone : status;
}

/** How many lines changed; nothing when none did or they were not counted. */
function linesText({ lines_added: added, lines_removed: removed }: WorkerReport): string {
  if (!added && !removed) return "";
  return say(t.workersView.lines, { added: integer(added ?? 0), removed: integer(removed ?? 0) });
}

function workerCoverage({ coverage }: WorkerReport): string {
  return coverage === null ? "" : say(t.workersView.coverage, { coverage: percent(coverage, 1) });
}

/** What a worker did, in figures. */
export function workerFigures({ files_changed: files, report }: WorkerView): string {
  const failed = report.failed_tests.length;
  return [
    files.length > 0 ? say(t.report.files, { count: files.length }) : "",
    linesText(report),
    failed > 0 ? say(t.workersView.failedTests, { count: failed }) : "",
    workerCoverage(report),
  ]
    .filter((text) => text !== "")
    .join(" · ");
}

const DEEPEST = 6;

function linesOf(value: Value, depth: number): string[] {
  if (!("entries" in value)) return [value.text];
  return value.entries.flatMap(({ name, value: inner }) => {
    const label = value.kind === "list" ? "•" : `${name.replaceAll("_", " ")}:`;
    if (!("entries" in inner)) return [`${label} ${inner.text}`];
    const lines = depth < DEEPEST ? linesOf(inner, depth + 1) : [preview(inner)];
    return [label, ...lines.map((line) => `  ${line}`)];
  });
}

/** Data as lines of names and values; any other text as it is. */
export function inWords(text: string): string {
  const read = /^\s*[[{]/.test(text) ? readEvidence(text) : null;
  const lines = read && !read.cut ? linesOf(read.value, 0) : [];
  return lines.length > 0 ? lines.join("\n") : text;
}

/** What is shown folded, as far as there is any. */
export function foldedLists(report: WorkerReport): { id: string; summary: string; items: string[] }[] {
  return [
    { id: "tasks", summary: t.workersView.tasksFinished, items: report.tasks_completed.map(taskText) },
    { id: "failed", summary: t.workersView.failedTests, items: report.failed_tests },
    { id: "suggestions", summary: t.workersView.suggestions, items: report.suggestions },
  ]
    .filter(({ items }) => items.length > 0)
    .map((list) => ({ ...list, summary: say(list.summary, { count: list.items.length }) }));
}

function taskText({ id, description }: FinishedTask): string {
  return [id, description].filter((part) => part !== "").join(" · ");
}

function settledText(resolution: Resolution): string {
  return resolution.kind === "manual" ? t.workersView.manual : resolution.word;
}

export function resolutionText({ resolutions }: ConflictView): string {
  if (resolutions.length === 0) return t.workersView.noResolution;
  return say(t.workersView.resolution, {
    word: resolutions.map(settledText).join(t.units.listSeparator),
  });
}

/** The worker of a side; nothing when it handed in no result. */
export function workerOf(side: ConflictSide, workers: readonly WorkerView[]): WorkerView | undefined {
  return side.worker === null ? undefined : workers[side.worker];
}

/** A line of a worker's details may be long. */
const LONGEST = 300;

export function shortenedLines(side: ConflictSide): string[] {
  return side.lines.map((line) => cutText(line, LONGEST));
}

/** What the diagram shows, as sentences. */
export function waySentences({ here, wish }: WayView): string[] {
  const said: string[] = [];
  if (here) said.push(say(t.workersView.stands, { phase: t.action[here] }));
  if (wish) {
    const slots = { from: t.action[wish.from], to: t.action[wish.to] };
    said.push(say(wish.heading === "back" ? t.workersView.wishBack : t.lead.next.wish, slots));
  }
  return said;
}

// ---- Markdown

const labelled = (name: string, value: string) => (value === "" ? "" : `- ${plainText(name)}: ${value}`);

function listsMarkdown(report: WorkerReport): string[] {
  const issues = { summary: say(t.workersView.issues, { count: report.issues_found.length }) };
  const lists = [{ ...issues, items: report.issues_found }, ...foldedLists(report)];
  return lists
    .filter(({ items }) => items.length > 0)
    .map(({ summary, items }) =>
      [`${plainText(summary)}:`, "", ...items.map((item) => `- ${plainText(item)}`)].join("\n"),
    );
}

export function workerMarkdown(worker: WorkerView, heading = "##"): string {
  const figures = [linesText(worker.report), workerCoverage(worker.report)];
  const facts = [
    labelled(t.detail.tabs.files, worker.files_changed.map(inlineCode).join(", ")),
    labelled(t.work.next, worker.next_suggestion ? plainText(nextText(worker)) : ""),
    worker.loop_back_to ? `- ${plainText(say(t.workersView.goesBack, { action: backText(worker) }))}` : "",
    ...figures.map((text) => (text === "" ? "" : `- ${plainText(text)}`)),
    labelled(t.common.time, worker.time ? plainText(fullTime(worker.time)) : ""),
    labelled(t.fact.file, inlineCode(worker.source)),
  ];
  return joinedParts(
    `${heading} ${plainText(workerPhaseText(worker.phase, worker.action))} · ${plainText(workerOutcomeText(worker))}`,
    plainText(worker.summary),
    facts.filter((line) => line !== "").join("\n"),
    ...listsMarkdown(worker.report),
    worker.detail && fencedCode(worker.detail),
  ).trimEnd();
}

export function conflictMarkdown(conflict: ConflictView, workers: readonly WorkerView[]): string {
  const rows = conflict.sides.map((side) => {
    const worker = workerOf(side, workers);
    return [
      plainText(workerPhaseText(side.phase, side.action)),
      plainText(worker ? workerOutcomeText(worker) : t.graph.noResult),
      plainText([worker?.summary ?? "", ...shortenedLines(side)].filter(Boolean).join(" · ")),
    ];
  });
  return joinedParts(
    `### ${inlineCode(conflict.file)}`,
    plainText(resolutionText(conflict)),
    rows.length > 0 && markdownTable([t.searchPage.kind.worker, t.fact.status, t.common.result], rows),
  ).trimEnd();
}

/** Everything of the view. */
export function workersMarkdown(row: LoopRow, detail: LoopDetail): string {
  const way = detail.way ?? NO_WAY;
  return joinedParts(
    `## ${plainText(say(t.workersView.title, { title: row.title }))}`,
    plainText(workerModeText(way)),
    way.visits.length > 0 &&
      `${plainText(t.workersView.path)}: ${way.visits.map((visit) => plainText(t.action[visit.phase])).join(" → ")}`,
    plainText(sentences(...waySentences(way))),
    ...detail.workers.map((worker) => workerMarkdown(worker, "###")),
    detail.conflicts.length > 0 && `## ${plainText(t.workersView.conflicts)}`,
    ...detail.conflicts.map((conflict) => conflictMarkdown(conflict, detail.workers)),
    detail.findings.length > 0 && `## ${plainText(t.workersView.findings)}`,
    ...detail.findings.map(({ text }) => (text.includes("\n") ? fencedCode(text) : `- ${plainText(text)}`)),
  );
}
