import type { Role, Shape } from "../../components/shapes";
import type {
  CorrectionKind,
  EntryContent,
  EntryKind,
  RequestOutcome,
  TestOutcome,
  TimelineEntry,
  WriteCause,
  WriteState,
} from "../../host/bindings";
import { code, parts, plain } from "../../state/markdown";
import { absoluteTime, clockTime, dayTime, duration, shortDay } from "../../words/format";
import { fill, say, t } from "../../words/language.svelte";
import { changedText, known } from "../../words/phrases";
import { baseName } from "../board/location";
import type { Group } from "./groups";

/** More names than fit in a line. */
const MOST_NAMES = 4;

function causeText(cause: WriteCause | null): string {
  return cause === null ? t.timeline.fileChanged : t.writeCause[cause];
}

/** The verb of a request; changes that are no verb are named as what they did. */
function askedText(cause: WriteCause | null): string {
  if (cause === "pause") return t.verb.pause_short;
  return known(t.verb, cause ?? "")?.replace(/…$/, "") ?? causeText(cause);
}

function requestText(cause: WriteCause | null, outcome: RequestOutcome | null): string {
  return fill(t.timeline.requests[outcome ?? "asked"], { what: askedText(cause) });
}

/** What kind of thing happened, in a few words: “Developed”, “Paused by Loopdeck”. */
export function labelOf({ content }: TimelineEntry): string {
  switch (content.from) {
    case "event":
      return t.event[content.event];
    case "test_run":
      return t.event.validate_entry;
    case "correction":
      return t.event.correction;
    case "step":
      return t.timeline.step;
    case "version":
      if (content.who === "foreign") return t.timeline.fileChanged;
      return fill(t.timeline.by, { what: causeText(content.cause) });
    case "write":
      return fill(t.timeline.by, { what: causeText(content.cause) });
    case "request":
      return requestText(content.cause, content.outcome);
    case "deleted":
      return t.timeline.deleted;
  }
}

/** How a write of ours ended, unless it simply landed. */
function endOfWrite(state: WriteState | null): string {
  return state === null || state === "landed" ? "" : t.timeline.writes[state];
}

/** Names of the files that were written: what there is to say of a write that changed nothing else that is shown. */
function fileNames({ files }: TimelineEntry): string {
  const names = files.slice(0, MOST_NAMES).map(baseName);
  const more = files.length - names.length;
  return [...names, ...(more > 0 ? [say(t.timeline.more, { count: more })] : [])].join(t.units.listSeparator);
}

const joined = (texts: readonly string[]) => texts.filter((one) => one !== "").join(" · ");

function correctionText(kind: CorrectionKind, word: string, text: string): string {
  if (kind === "other") return word === "" ? text : `${word}: ${text}`;
  return fill(t.units.labelled, { name: t.activity.kinds[kind], value: text });
}

function runText({ passed, total, outcome }: Extract<EntryContent, { from: "test_run" }>): string {
  return outcome === "no_tests" ? `${passed}/${total}` : fill(t.timeline.passedOf, { passed, total });
}

/** The rest of the line: what was done, chosen, found. Untrusted text of files. */
export function textOf(entry: TimelineEntry): string {
  const { content } = entry;
  switch (content.from) {
    case "event":
      return content.text;
    case "test_run":
      return runText(content);
    case "correction":
      return correctionText(content.kind, content.word, content.text);
    case "step":
      if (content.exit_code === null) return content.tool;
      return `${content.tool} · ${fill(t.timeline.exitCode, { code: content.exit_code })}`;
    case "version": {
      const said = content.changes.length > 0 ? content.changes.map(changedText) : [fileNames(entry)];
      return joined([endOfWrite(content.write), ...said]);
    }
    case "write":
      return joined([endOfWrite(content.state), fileNames(entry)]);
    case "request":
    case "deleted":
      return "";
  }
}

type Glyph = readonly [Shape, Role];

const GLYPHS: Readonly<Record<EntryKind, Glyph>> = {
  work: ["circle", "active"],
  debug: ["question", "info"],
  log: ["ring", "neutral"],
  tests: ["ring", "neutral"],
  choices: ["arrow", "info"],
  corrections: ["speech", "attention"],
  errors: ["octagon", "danger"],
  files: ["square-outline", "neutral"],
  loopdeck: ["square", "active"],
};

const RUN_GLYPHS: Readonly<Record<TestOutcome, Glyph>> = {
  passed: ["tick", "success"],
  failed: ["cross", "danger"],
  no_tests: ["ring", "neutral"],
};

/** Shape and colour beside the words. */
export function glyphOf({ kind, content }: TimelineEntry): Glyph {
  return content.from === "test_run" ? RUN_GLYPHS[content.outcome] : GLYPHS[kind];
}

export function groupTitle(group: Group): string {
  if (group.iteration !== null) return say(t.timeline.iteration, { number: group.iteration });
  return group.from === null ? t.timeline.noDay : shortDay(group.from);
}

export function kindsText(group: Group): string {
  return group.kinds.map((kind) => t.timeline.kinds[kind]).join(t.units.listSeparator);
}

/** What a group is about: what its round did where that is known, else which kinds of things happened. */
export function groupText(group: Group, rounds: ReadonlyMap<number, string>): string {
  return (group.iteration === null ? undefined : rounds.get(group.iteration)) ?? kindsText(group);
}

/** The row's full accessible name. */
export function nameOf(entry: TimelineEntry): string {
  const when = entry.ms === null ? (entry.time?.text ?? t.timeline.noTime) : absoluteTime(entry.ms);
  return [when, labelOf(entry), entry.subject ?? "", textOf(entry), tookText(entry)]
    .filter((one) => one !== "")
    .join(t.units.listSeparator);
}

/** A long time without its seconds. */
export function roughTime(ms: number): string {
  const minutes = Math.round(ms / 60_000);
  return minutes < 60 ? fill(t.units.shortMinutes, { count: minutes }) : duration(minutes * 60_000);
}

/** From when to when. Of several days, both ends say theirs: “10:58 – 19:37” would be one afternoon. */
export function stretchText(from: number, to: number, now: number): string {
  const sameDay = new Date(from).toDateString() === new Date(to).toDateString();
  const end = (ms: number) => (sameDay ? clockTime(ms) : dayTime(ms, now));
  return end(from) === end(to) ? end(from) : say(t.timeline.range, { from: end(from), to: end(to) });
}

export function tookText(entry: TimelineEntry): string {
  return entry.took_ms === null ? "" : fill(t.timeline.took, { time: duration(entry.took_ms) });
}

/** What was recorded, as JSON text. */
export function rawOf(entry: TimelineEntry, indent = 0): string {
  const { time, said_iteration: iteration, took_ms, subject, files, sources, content } = entry;
  return JSON.stringify({ time, ...content, subject, iteration, took_ms, files, sources }, null, indent);
}

/** Whether an entry has a text in what a person reads of it. */
export function matches(entry: TimelineEntry, wanted: string): boolean {
  if (wanted === "") return true;
  const small = wanted.toLowerCase();
  const texts = [labelOf(entry), textOf(entry), entry.subject ?? "", ...entry.files, ...entry.sources];
  return texts.some((text) => text.toLowerCase().includes(small));
}

/** One entry as a line of a Markdown list. */
export function entryMarkdown(entry: TimelineEntry): string {
  const when =
    entry.ms === null ? plain(entry.time?.text ?? t.timeline.noTime) : plain(absoluteTime(entry.ms));
  const words = [
    `**${plain(labelOf(entry))}**`,
    code(entry.subject ?? ""),
    plain(textOf(entry)),
    plain(tookText(entry)),
    entry.files.map(code).join(", "),
  ];
  return `- ${when} · ${words.filter((one) => one !== "").join(" ")}`;
}

/** Groups as lists to paste into a chat. */
export function timelineMarkdown(
  title: string,
  groups: readonly Group[],
  rounds: ReadonlyMap<number, string> = new Map(),
): string {
  return parts(
    `# ${plain(title)}`,
    ...groups.flatMap((group) => [
      `## ${plain(groupTitle(group))}`,
      ...(group.iteration !== null && rounds.has(group.iteration)
        ? [plain(rounds.get(group.iteration) as string)]
        : []),
      group.entries.map(entryMarkdown).join("\n"),
    ]),
  );
}
