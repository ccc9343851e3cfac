import type {
  CorrectionKind,
  EntryContent,
  EntryKind,
  RequestOutcome,
  TimelineEntry,
  WriteCause,
  WriteState,
} from "../../../host/bindings";
import { inlineCode, joinedParts, plainText } from "../../../state/markdown";
import { absoluteTime, clockTime, duration, moment, shortDate, shortDay } from "../../../words/format";
import { fill, say, t } from "../../../words/language.svelte";
import { known } from "../../../words/phrases";
import { declinedText } from "../../../words/team-phrases";
import { baseName } from "../board/location";
import { toldOf } from "./changes";
import type { Group } from "./groups";

/** More names than fit in a line. */
const MOST_NAMES = 4;

function causeText(cause: WriteCause | null): string {
  return cause === null ? t.timeline.fileChanged : t.writeCause[cause];
}

/** The verb of a request; changes that are no verb are named as what they did. */
function askedText(cause: WriteCause | null): string {
  const wanted = known(t.verb, cause ?? "")?.replace(/…$/, "") ?? known(t.team.wanted, cause ?? "");
  return wanted ?? causeText(cause);
}

function requestText(cause: WriteCause | null, outcome: RequestOutcome | null): string {
  return fill(t.timeline.requests[outcome ?? "asked"], { what: askedText(cause) });
}

const begin = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

type Version = Extract<EntryContent, { from: "version" }>;

/** Causes that say less than what they changed. */
const VAGUE: ReadonlySet<WriteCause> = new Set(["operate", "redirect"]);

/** What a version is called by, where what it changed says more than that the file changed. */
function titleOfVersion({ who, cause, changes }: Version): string | null {
  if (who === "ours" && (cause === null || !VAGUE.has(cause))) return null;
  return toldOf(changes, cause)[0] ?? null;
}

/** What kind of thing happened, in a few words: “Developed”, “Paused by Loopdeck”, “Started VALIDATE”. */
export function labelOf({ content }: TimelineEntry): string {
  switch (content.from) {
    case "event":
      return t.event[content.event];
    case "test_run":
      return content.outcome === "no_tests"
        ? t.timeline.noTests
        : fill(t.report.tests, { passed: content.passed, total: content.total });
    case "correction":
      return t.event.correction;
    case "step":
      return t.fact.current_step;
    case "version": {
      const title = titleOfVersion(content);
      if (title !== null) return begin(title);
      if (content.who === "foreign") return t.timeline.fileChanged;
      return fill(t.timeline.by, { what: causeText(content.cause) });
    }
    case "write":
      return fill(t.timeline.by, { what: causeText(content.cause) });
    case "request":
      return requestText(content.cause, content.outcome);
    case "message":
      return t.timeline.said;
    case "deleted":
      return say(t.timeline.by, { what: t.marks.deleted });
    case "asked_across":
      return say(t.timeline.requests.asked, { what: askedText(content.cause) });
    case "answered_across": {
      const words = content.refused === null ? t.timeline.acrossDone : t.timeline.acrossRefused;
      return say(words, { what: askedText(content.cause) });
    }
  }
}

/** Who asked for it from another machine. */
function askerText({ asker }: TimelineEntry): string {
  return asker === null ? "" : say(t.timeline.askedBy, { ...asker });
}

/** Whether the label leaves out that Loopdeck wrote it. */
export function isUnnamedOurs({ content }: TimelineEntry): boolean {
  return content.from === "version" && content.who === "ours" && titleOfVersion(content) !== null;
}

/** Whether the text is data and not words: output of a program, names of files. */
export function isData({ content }: TimelineEntry): boolean {
  if (content.from === "event") return content.event === "debug_log";
  if (content.from === "version") return content.changes.length === 0 && endOfWrite(content.write) === "";
  return content.from === "step" || (content.from === "write" && endOfWrite(content.state) === "");
}

/** How a write of ours ended, unless it simply landed. */
function endOfWrite(state: WriteState | null): string {
  return state === null || state === "landed" ? "" : t.timeline.writes[state];
}

/** Names of the files that were written: what there is to say of a write that changed nothing else that is shown. */
function fileNames({ files }: TimelineEntry): string {
  const names = files.slice(0, MOST_NAMES).map(baseName);
  const more = files.length - names.length;
  return [...names, ...(more > 0 ? [say(t.common.andMore, { count: more })] : [])].join(
    t.units.listSeparator,
  );
}

const joined = (texts: readonly string[]) => texts.filter((one) => one !== "").join(" · ");

function correctionText(kind: CorrectionKind, word: string, text: string): string {
  if (kind === "other") return word === "" ? text : `${word}: ${text}`;
  return fill(t.units.labelled, { name: t.activity.kinds[kind], value: text });
}

/** The rest of the line: what was done, chosen, found, and for whom. Untrusted text of files. */
export function entryText(entry: TimelineEntry): string {
  return joined([ownText(entry), askerText(entry)]);
}

function ownText(entry: TimelineEntry): string {
  const { content } = entry;
  switch (content.from) {
    case "event":
      return content.text;
    case "correction":
      return correctionText(content.kind, content.word, content.text);
    case "step":
      if (content.exit_code === null) return content.tool;
      return `${content.tool} · ${fill(t.common.exitCode, { code: content.exit_code })}`;
    case "version": {
      const told = toldOf(content.changes, content.cause);
      const said = content.changes.length > 0 ? told : [fileNames(entry)];
      return joined([endOfWrite(content.write), ...said.slice(titleOfVersion(content) === null ? 0 : 1)]);
    }
    case "write":
      return joined([endOfWrite(content.state), fileNames(entry)]);
    case "message":
      return joined([content.text, content.delivered ? "" : t.saying.waits]);
    case "answered_across":
      return content.refused === null ? "" : declinedText(content.refused);
    case "test_run":
    case "request":
    case "deleted":
    case "asked_across":
      return "";
  }
}

export function groupTitle(group: Group): string {
  if (group.iteration !== null) return say(t.common.iteration, { number: group.iteration });
  return group.from === null ? t.timeline.noDay : shortDay(group.from);
}

/** What an event belongs to; what has a tab is called as that. */
export function kindText(kind: EntryKind): string {
  return known(t.timeline.kinds, kind) ?? known(t.detail.tabs, kind) ?? kind;
}

function kindsText(group: Group): string {
  return group.kinds.map(kindText).join(t.units.listSeparator);
}

/** What a group is about: what its round did where that is known, else which kinds of things happened. */
export function groupText(group: Group, rounds: ReadonlyMap<number, string>): string {
  return (group.iteration === null ? undefined : rounds.get(group.iteration)) ?? kindsText(group);
}

/** The row's full accessible name. */
export function nameOf(entry: TimelineEntry): string {
  const when = entry.ms === null ? (entry.time?.text ?? t.timeline.noTime) : absoluteTime(entry.ms);
  const ours = isUnnamedOurs(entry) ? t.timeline.byLoopdeck : "";
  return [when, labelOf(entry), ours, entry.subject ?? "", entryText(entry), stepDuration(entry)]
    .filter((one) => one !== "")
    .join(t.units.listSeparator);
}

/** “5 log lines”. */
export function foldText(entries: readonly TimelineEntry[]): string {
  return say(t.common.logLines, { count: entries.length });
}

/** What folded log lines are about, each once. */
export function subjectsOf(entries: readonly TimelineEntry[]): string[] {
  return [...new Set(entries.flatMap(({ subject }) => (subject ? [subject] : [])))];
}

/** The full accessible name of folded log lines. */
export function foldName(entries: readonly TimelineEntry[]): string {
  const ms = entries[0]?.ms ?? null;
  const when = ms === null ? t.timeline.noTime : absoluteTime(ms);
  return [when, foldText(entries), ...subjectsOf(entries)].join(t.units.listSeparator);
}

/** A long time without its seconds. */
export function roughTime(ms: number): string {
  const minutes = Math.round(ms / 60_000);
  return minutes < 60 ? fill(t.units.shortMinutes, { count: minutes }) : duration(minutes * 60_000);
}

/** From when to when. Of several days, both ends say theirs: “10:58 – 19:37” would be one afternoon. */
export function stretchText(from: number, to: number, now: number): string {
  const sameDay = new Date(from).toDateString() === new Date(to).toDateString();
  const dated = (ms: number) => `${shortDate(ms, now)} ${clockTime(ms)}`;
  const [first, last] = sameDay ? [moment(from, now), clockTime(to)] : [dated(from), dated(to)];
  return clockTime(from) === clockTime(to) && sameDay ? first : `${first} – ${last}`;
}

function stepDuration(entry: TimelineEntry): string {
  return entry.took_ms === null ? "" : fill(t.timeline.took, { time: duration(entry.took_ms) });
}

/** Whether an entry has a text in what a person reads of it. */
export function matches(entry: TimelineEntry, wanted: string): boolean {
  if (wanted === "") return true;
  const small = wanted.toLowerCase();
  const texts = [labelOf(entry), entryText(entry), entry.subject ?? "", ...entry.files, ...entry.sources];
  return texts.some((text) => text.toLowerCase().includes(small));
}

/** One entry as a line of a Markdown list. */
export function entryMarkdown(entry: TimelineEntry): string {
  const when =
    entry.ms === null ? plainText(entry.time?.text ?? t.timeline.noTime) : plainText(absoluteTime(entry.ms));
  const words = [
    `**${plainText(labelOf(entry))}**`,
    inlineCode(entry.subject ?? ""),
    plainText(entryText(entry)),
    plainText(stepDuration(entry)),
    entry.files.map(inlineCode).join(", "),
  ];
  return `- ${when} · ${words.filter((one) => one !== "").join(" ")}`;
}

/** Groups as lists to paste into a chat. */
export function timelineMarkdown(
  title: string,
  groups: readonly Group[],
  rounds: ReadonlyMap<number, string> = new Map(),
): string {
  return joinedParts(
    `# ${plainText(title)}`,
    ...groups.flatMap((group) => [
      `## ${plainText(groupTitle(group))}`,
      ...(group.iteration !== null && rounds.has(group.iteration)
        ? [plainText(rounds.get(group.iteration) as string)]
        : []),
      group.entries.map(entryMarkdown).join("\n"),
    ]),
  );
}
