import type { Role, Shape } from "../../components/shapes";
import type { WriteCause } from "../../host/bindings";
import type { JournalEvent } from "../../host/bindings";
import { code, parts, plain } from "../../state/markdown";
import { absoluteTime, clockTime, dayTime, duration, shortDay } from "../../words/format";
import { fill, say, t } from "../../words/language.svelte";
import { changedText, known } from "../../words/phrases";
import { baseName } from "../board/location";
import { passed, type Entry } from "./entries";
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

function journalText(event: JournalEvent, until: JournalEvent | null): string {
  if (event.kind === "deleted") return t.timeline.deleted;
  if (event.kind === "write") return fill(t.timeline.by, { what: causeText(event.cause) });
  const state = until?.state ?? (until ? "settled" : event.state) ?? "asked";
  const sentence = known(t.timeline.requests, state) ?? t.timeline.requests.asked;
  return fill(sentence, { what: askedText(event.cause) });
}

/** What kind of thing happened, in a few words: “Developed”, “Paused by Loopdeck”. */
export function labelOf(entry: Entry): string {
  const { what } = entry;
  switch (what.from) {
    case "event":
      return t.event[what.event.kind];
    case "step":
      return t.timeline.step;
    case "change":
      if (what.version.who === "foreign") return t.timeline.fileChanged;
      return fill(t.timeline.by, { what: causeText(what.version.cause) });
    default:
      return journalText(what.event, what.until);
  }
}

/** How a write of ours ended, unless it simply landed. */
function endOfWrite(event: JournalEvent | null): string {
  return event?.kind === "write" ? (known(t.timeline.writes, event.state ?? "") ?? "") : "";
}

/** Names of the files that were written: what there is to say of a write that changed nothing else that is shown. */
function fileNames({ files }: Entry): string {
  const names = files.slice(0, MOST_NAMES).map(baseName);
  const more = files.length - names.length;
  return [...names, ...(more > 0 ? [say(t.timeline.more, { count: more })] : [])].join(t.units.listSeparator);
}

/** The rest of the line: what was done, chosen, found. Untrusted text of files. */
export function textOf(entry: Entry): string {
  const { what } = entry;
  if (what.from === "change") {
    const said = what.changes.length > 0 ? what.changes.map(changedText) : [fileNames(entry)];
    return [endOfWrite(what.write), ...said].filter((one) => one !== "").join(" · ");
  }
  if (what.from === "journal") {
    return [endOfWrite(what.event), fileNames(entry)].filter((one) => one !== "").join(" · ");
  }
  if (what.from === "step") {
    const exit = what.step.exit_code;
    return exit === null ? entry.text : `${entry.text} · ${fill(t.timeline.exitCode, { code: exit })}`;
  }
  if (entry.kind === "tests" && passed(entry) !== null) {
    const [good, all] = entry.text.split("/").map(Number);
    return fill(t.timeline.passedOf, { passed: good, total: all });
  }
  if (entry.kind === "corrections") {
    const [, kind = "", rest = ""] = /^(\w+): ([\s\S]*)$/.exec(entry.text) ?? [];
    const name = known(t.activity.kinds, kind);
    return name === null ? entry.text : fill(t.units.labelled, { name, value: rest });
  }
  return entry.text;
}

/** Shape and colour beside the words. */
export function glyphOf(entry: Entry): readonly [Shape, Role] {
  switch (entry.kind) {
    case "errors":
      return ["octagon", "danger"];
    case "tests":
      return passed(entry) === null
        ? ["ring", "neutral"]
        : passed(entry)
          ? ["tick", "success"]
          : ["cross", "danger"];
    case "choices":
      return ["arrow", "info"];
    case "corrections":
      return ["speech", "attention"];
    case "debug":
      return ["question", "info"];
    case "log":
      return ["ring", "neutral"];
    case "files":
      return ["square-outline", "neutral"];
    case "loopdeck":
      return ["square", "active"];
    default:
      return ["circle", "active"];
  }
}

export function groupTitle(group: Group): string {
  if (group.iteration !== null) return say(t.timeline.iteration, { number: group.iteration });
  return group.from === null ? t.timeline.noDay : shortDay(group.from);
}

export function kindsText(group: Group): string {
  return group.kinds.map((kind) => t.timeline.kinds[kind]).join(t.units.listSeparator);
}

/** The row's full accessible name. */
export function nameOf(entry: Entry): string {
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

export function tookText(entry: Entry): string {
  return entry.took === null ? "" : fill(t.timeline.took, { time: duration(entry.took) });
}

/** What was recorded, as JSON text. */
export function rawOf(entry: Entry, indent = 0): string {
  const { what } = entry;
  if (what.from === "event") return JSON.stringify(what.event, null, indent);
  if (what.from === "step") return JSON.stringify(what.step, null, indent);
  if (what.from === "journal") {
    return JSON.stringify(what.until ? [what.event, what.until] : what.event, null, indent);
  }
  return JSON.stringify({ ...what.version, changes: what.changes, write: what.write }, null, indent);
}

/** Whether an entry has a text in what a person reads of it. */
export function matches(entry: Entry, wanted: string): boolean {
  if (wanted === "") return true;
  const small = wanted.toLowerCase();
  const texts = [labelOf(entry), textOf(entry), entry.subject ?? "", ...entry.files, ...entry.sources];
  return texts.some((text) => text.toLowerCase().includes(small));
}

/** One entry as a line of a Markdown list. */
export function entryMarkdown(entry: Entry): string {
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
export function timelineMarkdown(title: string, groups: readonly Group[]): string {
  return parts(
    `# ${plain(title)}`,
    ...groups.flatMap((group) => [
      `## ${plain(groupTitle(group))}`,
      group.entries.map(entryMarkdown).join("\n"),
    ]),
  );
}
