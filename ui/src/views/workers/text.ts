import type { LoopDetail, LoopRow, WorkerView } from "../../host/bindings";
import { block, code, parts, plain, table } from "../../state/markdown";
import { fullTime } from "../../words/format";
import { say, sentences, t } from "../../words/language.svelte";
import { known, wordText } from "../../words/phrases";
import { clashesOf, type Clash } from "./conflicts";
import { wayOf, type Way } from "./way";

/** The name of a phase or worker; one that the format does not know is shown as written. */
export function actionText(action: string): string {
  return known(t.action, action.toLowerCase()) ?? action;
}

export function modeText(row: Pick<LoopRow, "mode">): string {
  const mode = row.mode ?? "";
  if (mode === "") return t.workersView.noMode;
  return known(t.workersView.mode, mode.toLowerCase()) ?? say(t.workersView.modeOther, { mode });
}

export function emptyText(row: Pick<LoopRow, "mode">): string {
  return known(t.workersView.empty, (row.mode ?? "").toLowerCase()) ?? t.workersView.emptyOther;
}

export function statusOf(worker: WorkerView | undefined): string {
  return worker && worker.status !== "" ? wordText(worker.status) : t.units.statusNone;
}

export function resolutionText(clash: Clash): string {
  if (clash.resolutions.length === 0) return t.workersView.noResolution;
  const words = clash.resolutions.map((word) => (word === "manual" ? t.workersView.manual : word));
  return say(t.workersView.resolution, { word: words.join(t.units.listSeparator) });
}

/** What the diagram shows, as sentences. */
export function waySentences(way: Way): string[] {
  const said: string[] = [];
  if (way.here) said.push(say(t.workersView.stands, { phase: actionText(way.here) }));
  if (way.wish) {
    const slots = { from: actionText(way.wish.from), to: actionText(way.wish.to) };
    said.push(say(way.wish.back ? t.workersView.wishBack : t.workersView.wish, slots));
  }
  return said;
}

// ---- Markdown

const labelled = (name: string, value: string) => (value === "" ? "" : `- ${plain(name)}: ${value}`);

export function workerMarkdown(worker: WorkerView, heading = "##"): string {
  const facts = [
    labelled(t.work.files, worker.files_changed.map(code).join(", ")),
    labelled(t.work.next, worker.next_suggestion ? plain(actionText(worker.next_suggestion)) : ""),
    worker.loop_back_to
      ? `- ${plain(say(t.workersView.goesBack, { action: actionText(worker.loop_back_to) }))}`
      : "",
    labelled(t.work.time, worker.time ? plain(fullTime(worker.time)) : ""),
    labelled(t.work.file, code(worker.source)),
  ];
  return parts(
    `${heading} ${plain(actionText(worker.action))} · ${plain(statusOf(worker))}`,
    plain(worker.summary),
    facts.filter((line) => line !== "").join("\n"),
    worker.detail && block(worker.detail),
  ).trimEnd();
}

export function clashMarkdown(clash: Clash): string {
  const rows = clash.sides.map(({ action, worker, lines }) => [
    plain(actionText(action)),
    plain(worker ? statusOf(worker) : t.workersView.saysNothing),
    plain([worker?.summary ?? "", ...lines].filter(Boolean).join(" · ")),
  ]);
  return parts(
    `### ${code(clash.file)}`,
    plain(resolutionText(clash)),
    rows.length > 0 && table([t.work.worker, t.work.status, t.work.summary], rows),
  ).trimEnd();
}

/** Everything of the view. */
export function workersMarkdown(row: LoopRow, detail: LoopDetail): string {
  const way = wayOf(row, detail);
  const clashes = clashesOf(detail.conflicts, detail.workers);
  return parts(
    `## ${plain(say(t.workersView.title, { title: row.title }))}`,
    plain(modeText(row)),
    way.visits.length > 0 &&
      `${plain(t.workersView.path)}: ${way.visits.map((visit) => plain(actionText(visit.phase))).join(" → ")}`,
    plain(sentences(...waySentences(way))),
    ...detail.workers.map((worker) => workerMarkdown(worker, "###")),
    clashes.length > 0 && `## ${plain(t.workersView.conflicts)}`,
    ...clashes.map(clashMarkdown),
    detail.findings.length > 0 && `## ${plain(t.workersView.findings)}`,
    ...detail.findings.map((finding) => (finding.includes("\n") ? block(finding) : `- ${plain(finding)}`)),
  );
}
