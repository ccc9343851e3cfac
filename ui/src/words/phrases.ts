import {
  FORMAT_TRAITS,
  type Control,
  type Format,
  type Failure,
  type LoopRow,
  type Notice,
  type Phase,
  type Problem,
  type Refusal,
  type RepairCode,
  type RequestView,
  type StopView,
  type Verb,
  type WriteCause,
  type WorkspaceView,
  type StatusWord,
} from "../host/bindings";
import FORMAT_NAMES from "./format-names.json";
import JSON_SIGNS from "./json-signs.json";
import { SAME_EFFECT, SAME_FACT, SAME_FIELD, SAME_HINT, SAME_WORD, wordedAs } from "./same-words";
import { integer, moment, percent } from "./format";
import { fill, say, t } from "./language.svelte";
import type { LooseSlots, Message } from "./message";

type Named = Readonly<Record<string, Message>>;

/** The catalogue's word for a key from a file, or nothing when the catalogue does not know it. */
export function known(section: Named, key: string): string | null {
  const message = Object.hasOwn(section, key) ? section[key] : undefined;
  return typeof message === "string" ? message : null;
}

function wordsOf(section: object): Named {
  return section as Named;
}

/** The word of a status, with its minutes or its quoted word; “Running · in a terminal”. */
export function statusText(
  row: Pick<LoopRow, "word" | "changed" | "file_word"> & Partial<Pick<LoopRow, "runner">>,
  now: number,
): string {
  const minutes = Math.max(0, Math.floor((now - row.changed) / 60_000));
  const text = fill(t.status[row.word], { minutes, word: row.file_word });
  return row.runner ? `${text} · ${t.runner[row.runner.program]}` : text;
}

/** Whether a Loopdeck runs the loop: this one, or another one on this computer. */
export function isRun(row: Pick<LoopRow, "run" | "runner">): boolean {
  return row.run?.alive === true || row.runner !== null;
}

/** The names of all formats; those of tools are the same in every language. */
export function formatNames(): Readonly<Record<Format, string>> {
  return { ...FORMAT_NAMES, ...t.format };
}

export function formatText(row: Pick<LoopRow, "format">): string {
  return formatNames()[row.format];
}

/** Whether what its files call done is only said: nobody of ours ran its agents, or looked at what they did. */
export function isClaimed({ handling }: Pick<LoopRow, "handling">): boolean {
  return handling !== "driven";
}

export function phaseText(phase: Phase, claimed = false): string {
  if (phase.kind === "todo" && claimed) return fill(t.phase.claimed, { ...phase });
  if (phase.kind === "debug" && phase.confirmed) {
    return fill(t.phase.debug_confirmed, { confirmed: phase.confirmed });
  }
  if (phase.kind === "atoms" && phase.ready > 0) return fill(t.phase.atoms_ready, { ...phase });
  if (phase.kind === "workers") {
    const { done, total } = phase;
    const said = phase.known === null ? phase.phase : t.action[phase.known];
    return fill(t.phase.workers, { phase: said, done, total });
  }
  // Nothing is counted yet: the action alone says more than "0 of 0".
  if (phase.kind === "develop" || phase.kind === "debug" || phase.kind === "validate") {
    if (phase.total === 0) return t.action[phase.kind];
  }
  if (phase.kind === "init" || phase.kind === "complete") return t.action[phase.kind];
  return fill(t.phase[phase.kind], { ...phase } as unknown as LooseSlots);
}

/** How far a loop is: its phase, and where checks decide, what of its claims is proven. */
export function progressText(row: Pick<LoopRow, "phase" | "claims" | "handling">): string {
  const { phase, claims } = row;
  if (claims === null) return phase ? phaseText(phase, isClaimed(row)) : "";
  if (phase?.kind === "todo") return say(t.proof.of, { ...claims, total: phase.total });
  const counts = say(t.proof.counts, { ...claims });
  if (phase === null || phase.kind === "atoms") return counts;
  return `${phase.kind === "develop" ? t.action.develop : phaseText(phase)} · ${counts}`;
}

/** The name of a workspace as people read it: the folder name of a sample says nothing. */
export function workspaceText(workspace: Pick<WorkspaceView, "name" | "sample">): string {
  if (!workspace.sample) return workspace.name;
  if (workspace.name === "sample-receipt") return t.sidebar.sampleReceipt;
  return workspace.name === "sample-plans" ? t.sidebar.samplePlans : t.sidebar.sample;
}

/** Where a folder is, or why its loops cannot be controlled. */
export function folderTip({ path, reachable, silent }: WorkspaceView): string {
  if (silent) return say(t.sidebar.silentText, { path });
  return reachable ? path : say(t.sidebar.unreachableText, { path });
}

/** A word that formats define, such as a status or a verdict. */
export function wordText(word: string): string {
  const same = SAME_WORD[word] ?? word;
  return known(t.word, same) ?? known(t.status, same) ?? known(t.atom, same) ?? word;
}

/** The word for one part of a fact's name, which may be an action; the part itself where there is none. */
function factPart(part: string): string {
  const name = Object.hasOwn(SAME_FACT, part) ? (SAME_FACT[part] ?? part) : part;
  return known(t.fact, name) ?? known(t.action, name) ?? part;
}

/** `summary.develop.total_tasks` is a path: its parts have names of their own, the summary is the heading above. */
export function factName(name: string): string {
  const parts = name.replace(/^summary\./, "").split(".");
  return parts.map(factPart).join(" · ");
}

/** Whether a name is only the file's own, to be shown as code. */
export function isRawName(name: string): boolean {
  return factName(name) === name;
}

export function verbText(verb: Verb, row: Pick<LoopRow, "format">): string {
  return verb === "pause" && FORMAT_TRAITS[row.format].teamwork === "rounds"
    ? t.verb.pause_aot
    : t.verb[verb];
}

/** What was asked of a loop: a verb, or of one on another machine something more. */
export function wantedText(cause: WriteCause): string {
  return known(t.verb, cause) ?? known(t.team.wanted, cause) ?? t.writeCause[cause];
}

/** The label for a narrow place. */
export function verbShort(verb: Verb): string {
  return t.verb[verb];
}

/** A figure as people read it: the file's own digits are in the source. */
function figure(value: string, share: boolean): string {
  if (value === "true" || value === "false") return within(value === "true" ? t.units.yes : t.units.no);
  if (!/^-?\d{1,15}(\.\d+)?$/.test(value)) return value;
  return share ? percent(Number(value), 1) : integer(Math.round(Number(value) * 100) / 100);
}

/** “Pass rate: the file says 83.3 %, the latest run gives 66.7 %.” */
function disagreement(problem: Problem): string {
  const { field = "", unit } = problem.args;
  const args = Object.entries(problem.args).map(([name, value]) => [name, figure(value, unit === "percent")]);
  const text = fill(t.problem[problem.code][0], Object.fromEntries(args) as Record<string, string>);
  if (isRawName(field)) return text;
  return fill(t.units.labelled, { name: factName(field), value: within(text) });
}

/** What the reader of JSON expected, as it is written. */
export const EXPECTED: Readonly<Record<string, string>> = JSON_SIGNS;

export function problemText(problem: Problem): string {
  if (problem.code === "W6_validation_disagrees") return disagreement(problem);
  if (problem.code === "W6_totals_disagree") return fill(t.problem[problem.code][0], numeric(problem.args));
  // The figure of a title is its length.
  const words = problem.code === "W8_out_of_range" && problem.path === "title" ? t.dialog.titleLength : null;
  const { reason } = problem.args;
  const reasons = problem.code === "V8_bad_base_case" ? t.checkFlaw : t.jsonReason;
  const what = reason === undefined ? undefined : EXPECTED[reason];
  const said =
    reason === undefined
      ? null
      : what
        ? say(t.jsonReason.expected, { what })
        : known(wordsOf(reasons), reason);
  const args = said === null ? problem.args : { ...problem.args, reason: said };
  return fill(words ?? t.problem[problem.code][0], words ? { ...args, count: args.found } : args);
}

function problemWithLine(problem: Problem): string {
  const text = problemText(problem);
  return problem.line === null ? text : fill(t.common.lineSays, { line: problem.line, text });
}

/** Numbers travel as text in the arguments; as numbers they choose plural forms and separators. */
export function numeric(args: Readonly<Record<string, string>>): LooseSlots {
  return Object.fromEntries(
    Object.entries(args).map(([name, value]) => [name, /^\d{1,15}$/.test(value) ? Number(value) : value]),
  );
}

/**
 * After the last iteration a loop continues only with a higher limit: “iteration 11 of at least
 * 11”.
 */
function withinLimit(args: LooseSlots): LooseSlots {
  const { iteration, limit } = args;
  if (typeof iteration !== "number" || typeof limit !== "number" || iteration <= limit) return args;
  return { ...args, limit: say(t.dialog.atLeast, { count: iteration }) };
}

export function effectText(
  control: Control,
  sentence: Message = t.effect[wordedAs(control.effect, SAME_EFFECT)],
): string {
  const text = fill(sentence, withinLimit(numeric(control.args)));
  return control.notice ? `${text} ${noticeText(control.notice)}` : text;
}

/** What the layout of the file adds to a control. */
export function noticeText(notice: Notice): string {
  return fill(t.notice[notice.code], numeric(notice.args));
}

/** A stop that ends our own agent, rather than asking one that runs elsewhere. */
export function endsOurs(control: Control): boolean {
  return control.effect === "stop_now" || control.effect === "stop_elsewhere";
}

/** A label within a sentence begins small; labels with their own capitals, such as “AoT”, keep them. */
export function within(label: string): string {
  return /^\p{Lu}(?!\S*\p{Lu})/u.test(label) ? label.charAt(0).toLowerCase() + label.slice(1) : label;
}

/** What waits for a unit that there is none of: “A1, A2: waits for A9, which doesn’t exist”. */
export function missingText(id: string, names: string): string {
  return say(t.units.labelled, { name: names, value: within(say(t.blocker.missing, { name: id })) });
}

/** A refusal that continues a sentence: “Pause: the loop is already running.” */
export function refusalWithin(refusal: Refusal, status: string): string {
  const shown =
    refusal.status === null ? (refusal.args.status ?? within(status)) : within(t.status[refusal.status]);
  const text = fill(t.refusal[refusal.code], { ...refusal.args, status: shown });
  // Some refusals know no status; an empty pair of brackets would only look like a mistake.
  return text.replace(/\s*[(（「“][)）」”]/g, "");
}

/** A refusal as a sentence: “The loop is already running.” */
export function refusalText(refusal: Refusal, status: string): string {
  const text = refusalWithin(refusal, status);
  // A name from the file stays as it is written there.
  const named = String(t.refusal[refusal.code]).startsWith("{");
  return named ? text : text.charAt(0).toUpperCase() + text.slice(1);
}

/** A verb within a sentence: the dots of “Delete…” only tell that a button asks first. */
export function bare(verb: string): string {
  return verb.replace(/…$/, "");
}

/** “Pause: the loop is not running.” */
export function disabledText(verb: string, refusal: Refusal, status: string): string {
  return fill(t.units.labelled, { name: bare(verb), value: refusalWithin(refusal, status) });
}

export function failureText(failure: Failure): string {
  const reason = failure.refusal ? refusalWithin(failure.refusal, "") : (failure.args.reason ?? "");
  return fill(t.failure[failure.kind], {
    ...failure.args,
    ...formWords(failure),
    reason: coded(failure) ?? reason,
  });
}

/** A command line that cannot be: its code as a sentence, with the argument it is about. */
function coded({ kind, args }: Failure): string | undefined {
  const sentence = kind === "cannot_start" && args.code ? known(t.start.problem, args.code) : null;
  const [first = ""] = (args.reason ?? "").split(", ");
  const argument = first.startsWith(`${args.code} `) ? first.slice((args.code ?? "").length + 1) : first;
  return sentence === null ? undefined : fill(sentence, { code: args.code ?? "", argument });
}

/** What the start form calls a field; nothing for one that has no name. */
export function fieldName(field: string): string | null {
  const name = SAME_FIELD[field] ?? field;
  return known(t.start.fieldName, name) ?? known(t.common, name) ?? known(t.fact, name);
}

function formWords({ kind, args }: Failure): Record<string, string> {
  const field = kind === "bad_form" && args.field ? fieldName(args.field) : null;
  return field === null ? {} : { field };
}

export function failureHint({ kind, args }: Pick<Failure, "kind" | "args">): string {
  return fill(t.failureHint[wordedAs(kind, SAME_HINT)], args);
}

export function repairedText(code: RepairCode): string {
  return fill(t.repairs.done, { name: t.repair[code] });
}

/** Files and folders next to loops whose state file is gone. */
export function orphansText({ orphans, orphans_total }: WorkspaceView): string {
  const listed = orphans.join(t.units.listSeparator);
  const more = orphans_total - orphans.length;
  const names = more > 0 ? fill(t.common.namesAndMore, { names: listed, count: more }) : listed;
  return fill(t.sidebar.orphansText, { names });
}

/** “Pause requested 14:02 → in effect”, and how often it had to be sent; or that another tool decided otherwise. */
export function requestText(request: RequestView, now: number): string[] {
  if (request.state === "overruled") {
    const time = moment(request.overruled_at ?? request.at, now);
    return [fill(t.request.overruled, { verb: wantedText(request.verb), time })];
  }
  const slots = { verb: wantedText(request.verb), time: moment(request.at, now) };
  const lines = [fill(t.request[request.state], slots)];
  if (request.asker) lines.push(say(t.timeline.askedBy, { ...request.asker }));
  if (request.sent_again > 0) {
    lines.push(fill(t.request.sent_again, { count: request.sent_again }));
  }
  return lines;
}

export function fileFact(row: LoopRow): string {
  return row.file_word ? fill(t.list.evidenceFile, { word: row.file_word }) : t.list.evidenceNoWord;
}

/** Statuses that the file contradicts, so that what it says is news. */
const FILE_TELLS: readonly StatusWord[] = [
  "interrupted",
  "agent_unknown",
  "ended_still_running",
  "not_fully_stopped",
];

/**
 * The list's second line: what the status leaves open, and the workspace where there are several. Nothing where the
 * status says it all. `asked` is what the loop needs of the person.
 */
export function listEvidence(
  row: LoopRow,
  workspace: string | null,
  asked: string | null,
  now: number,
): { text: string; kind: "problem" | "request" | "plain" } {
  if (row.problem && row.errors > 0) return { text: problemWithLine(row.problem), kind: "problem" };
  if (row.request && (row.request.state !== "in_effect" || row.request.sent_again > 0)) {
    return { text: requestText(row.request, now).reverse().join(" · "), kind: "request" };
  }
  const parts = [workspace, asked];
  const stop = row.word === "not_fully_stopped" ? row.run?.stop : null;
  if (stop) parts.push(stopText(stop));
  else if (FILE_TELLS.includes(row.word)) parts.push(fileFact(row));
  if (row.limit) parts.push(t.limit[row.limit]);
  // A reason is why it ended; while something is left of it, that is what counts.
  if (row.reason && !stop) parts.push(fill(t.list.evidenceReason, { reason: row.reason }));
  return { text: parts.filter((part) => part !== null).join(" · "), kind: "plain" };
}

/** The row's full accessible name. */
export function rowName(row: LoopRow, now: number): string {
  const iteration = row.iteration ? [say(t.report.iterations, { ...row.iteration })] : [];
  return [row.title, statusText(row, now), formatText(row), ...iteration].join(t.units.listSeparator);
}

/** What a stop left behind: never more than is known. */
export function stopText(stop: StopView): string {
  if (stop.result === "all_gone") return say(t.runControl.allGone, { count: stop.ended });
  if (stop.result === "unknown") return say(t.runControl.cannotTell, { why: stop.why });
  const names = stop.processes
    .map(({ name, pid }) => fill(t.units.noted, { name, note: String(pid) }))
    .join(t.units.listSeparator);
  return fill(t.runControl.left, { ended: stop.ended, left: stop.processes.length, names });
}
