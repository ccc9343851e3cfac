/** Why a part of a command deserves a second look. */
export type Danger = "deletes" | "forces" | "outside" | "network" | "admin" | "runs" | "unboxed";

/** A part of a text; one with a danger is marked. */
interface Marked {
  readonly text: string;
  readonly danger: Danger | null;
}

/** Where a program's name begins: not in the middle of a word. */
const NAME = "(?<![\\w.-])";

/** Marks draw the eye. They are no filter: what has none is not safe because of that. */
const SIGNS: readonly (readonly [Danger, RegExp])[] = [
  [
    "deletes",
    new RegExp(`${NAME}(?:rm|rmdir|unlink|shred|mkfs[\\w.]*|git\\s+clean)(?:\\s+-[\\w-]+)*(?=\\s|$)`, "g"),
  ],
  ["deletes", /(?<=\s)-delete(?=\s|$)/g],
  ["forces", /(?<=\s)(?:--force(?:-[\w-]+)?|--hard|--no-verify)(?=[\s=]|$)/g],
  ["forces", new RegExp(`${NAME}git\\s+push\\s+(?:\\S+\\s+)*-f(?=\\s|$)`, "g")],
  ["admin", new RegExp(`${NAME}(?:sudo|doas|su|chown|chmod\\s+(?:-R\\s+)?0?777)(?=\\s|$)`, "g")],
  ["runs", new RegExp(`\\|\\s*(?:ba|z|da|k)?sh(?=\\s|$)|${NAME}eval(?=\\s|$)`, "g")],
  ["network", new RegExp(`${NAME}(?:curl|wget|ssh|scp|sftp|rsync|nc|ncat|telnet)(?=\\s|$)`, "g")],
  ["network", new RegExp(`${NAME}git\\s+(?:push|pull|fetch|clone)(?=\\s|$)`, "g")],
  [
    "network",
    new RegExp(
      `${NAME}(?:npm|pnpm|yarn|bun|pip3?|cargo|gem|go|brew|apt|apt-get)\\s+(?:install|i|ci|add|get|publish|update|upgrade)(?=\\s|$)`,
      "g",
    ),
  ],
  ["network", /\bhttps?:\/\/[^\s"'`<>|;)]+/g],
  ["unboxed", /\bdangerously\w*|\bsandbox["']?\s*[:=]\s*["']?(?:false|off|none)\b/gi],
];

/** Words that are a path from the root, from the home folder, or upwards. */
const PATH = /(?<=^|[\s"'`=:<>(])(?:\/|~(?=\/|[\s"'`;|&)]|$)|\.\.(?=\/|[\s"'`;|&)]|$))[^\s"'`;|&<>)]*/gm;
/** Where what is read or written is gone or nowhere. */
const NOWHERE = /^\/dev\/(?:null|stdin|stdout|stderr|tty|fd\/\d+)$/;

/** Whether a path leads out of the folder, which may be written with `~` for the home folder. */
function leadsOut(path: string, folder: string): boolean {
  if (path === "/" || NOWHERE.test(path)) return path === "/";
  if (path.split("/").includes("..")) return true;
  const home = folder.startsWith("~/") ? folder.slice(1) : null;
  const plain =
    home === null || path.startsWith("~") ? path : path.replace(/^\/(?:home|Users)\/[^/]+|^\/root/, "~");
  const root = folder.replace(/\/$/, "");
  return root === "" || (plain !== root && !plain.startsWith(`${root}/`));
}

/** The text in parts: those that can do harm, and what is between them. */
export function markDangers(text: string, folder: string): Marked[] {
  const found: { from: number; to: number; danger: Danger }[] = [];
  const take = (danger: Danger, { index, 0: match }: RegExpExecArray) =>
    found.push({ from: index, to: index + match.length, danger });
  for (const [danger, sign] of SIGNS) for (const match of text.matchAll(sign)) take(danger, match);
  for (const match of text.matchAll(PATH)) if (leadsOut(match[0], folder)) take("outside", match);
  // Of two in one place, the one that was looked for first.
  found.sort((one, other) => one.from - other.from);
  const parts: Marked[] = [];
  let at = 0;
  for (const { from, to, danger } of found) {
    if (from < at) continue;
    if (from > at) parts.push({ text: text.slice(at, from), danger: null });
    parts.push({ text: text.slice(from, to), danger });
    at = to;
  }
  if (at < text.length) parts.push({ text: text.slice(at), danger: null });
  return parts;
}
