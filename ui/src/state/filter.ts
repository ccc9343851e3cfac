import type { Format, Group, LoopRow, StatusWord, WorkspaceView } from "../host/bindings";
import type { Cell, Traits } from "./catalog.svelte";
import type { SearchText } from "./search-text";

/** Fields a token may name: status, format, workspace, a property, priority, tag or label. */
type TokenField = "s" | "f" | "w" | "is" | "p" | "t";

export interface Token {
  /** Null for a free word. */
  readonly field: TokenField | null;
  readonly value: string;
  readonly not: boolean;
}

/** What a filter can look at besides the row. */
export interface FilterScene {
  groupOf(row: LoopRow): Group;
  /** What a word may find each workspace by, a name in each line, lower case. */
  readonly workspaces: ReadonlyMap<string, string>;
  /** The status words in the language of the window. */
  readonly statusWords: Readonly<Record<StatusWord, string>>;
  /** What the formats are called. */
  readonly formatWords: Readonly<Record<Format, string>>;
  /** What free words look into, of every row by its place. It is made of all rows, and only for words. */
  texts(): SearchText;
}

const PIECE = /(!?)(?:(s|f|w|is|p|t):)?(?:"([^"]*)"?|(\S+))/gi;

/** `s:failed f:aot w:"my repo" !t:old text` as tokens; a field without a value is still being typed and ignored. */
export function parseFilter(text: string): Token[] {
  const tokens: Token[] = [];
  for (const [, not, field, quoted, plain] of text.matchAll(PIECE)) {
    const value = (quoted ?? plain ?? "").toLowerCase();
    if (value === "" || value === "!" || (!field && /^(s|f|w|is|p|t):$/.test(value))) continue;
    tokens.push({ field: (field?.toLowerCase() ?? null) as TokenField | null, value, not: not === "!" });
  }
  return tokens;
}

function tokenText(token: Token): string {
  const value = /[\s"]/.test(token.value) ? `"${token.value.replaceAll('"', "")}"` : token.value;
  return `${token.not ? "!" : ""}${token.field ? `${token.field}:` : ""}${value}`;
}

export function filterText(tokens: readonly Token[]): string {
  return tokens.map(tokenText).join(" ");
}

/** The free words that what is listed contains; to be marked where they are seen. */
export function wordsOf(tokens: readonly Token[]): string[] {
  return tokens.filter(({ field, not }) => field === null && !not).map(({ value }) => value);
}

function isSameToken(a: Token, b: Token): boolean {
  return a.field === b.field && a.value === b.value && a.not === b.not;
}

export function hasToken(text: string, token: Token): boolean {
  return parseFilter(text).some((other) => isSameToken(other, token));
}

/** Adds the token, or takes it out when it is there: chips are toggles of the same text. */
export function toggleToken(text: string, token: Token): string {
  const tokens = parseFilter(text);
  const rest = tokens.filter((other) => !isSameToken(other, token));
  return filterText(rest.length < tokens.length ? rest : [...tokens, token]);
}

/** A folder's name as the filter compares it: its text has no quotes within quotes. */
export function nameInFilter(name: string): string {
  return name.replaceAll('"', "").toLowerCase();
}

/** What the filter says for the loops of one folder. */
export function folderToken({ name }: Pick<WorkspaceView, "name">): Token {
  return { field: "w", value: nameInFilter(name), not: false };
}

/** The one folder that a filter names as a whole. */
export function folderNamed(
  tokens: readonly Token[],
  workspaces: readonly WorkspaceView[],
): WorkspaceView | null {
  const [named, ...others] = tokens.filter(({ field, not }) => field === "w" && !not);
  if (!named || others.length > 0) return null;
  const found = workspaces.filter((workspace) => folderToken(workspace).value === named.value);
  return found.length === 1 ? found[0]! : null;
}

/** A word without case and joints. */
function withoutJoints(word: string): string {
  return word.toLowerCase().replace(/[\s_-]/g, "");
}

/** Words of the filter that stand for several statuses. */
const STATUS_FAMILIES: Readonly<Record<string, readonly StatusWord[]>> = {
  done: ["completed", "completed_with_warnings"],
  ended: ["completed", "completed_with_warnings", "failed", "stopped", "left_by_user"],
};

function statusesOf(value: string, { statusWords }: FilterScene): ReadonlySet<string> {
  const wanted = withoutJoints(value);
  const begin = Object.entries(statusWords).filter((words) =>
    words.some((word) => withoutJoints(word).startsWith(wanted)),
  );
  return new Set([...(STATUS_FAMILIES[value] ?? []), ...begin.map(([word]) => word)]);
}

/** Formats that begin with a word. A whole name is that format, also where the names of others begin with it. */
function formatsOf(value: string, { formatWords }: FilterScene): ReadonlySet<string> {
  const wanted = withoutJoints(value);
  const named = Object.entries(formatWords).map(([format, word]) => {
    const id = withoutJoints(format);
    return { format, names: [id, id.replace(/^loop/, ""), withoutJoints(word)] };
  });
  const whole = named.filter(({ names }) => names.includes(wanted));
  const begin = named.filter(({ names }) => names.some((name) => name.startsWith(wanted)));
  return new Set((whole.length > 0 ? whole : begin).map(({ format }) => format));
}

/** What the filter says for the loops of one format. */
export function formatToken(format: Format): Token {
  return { field: "f", value: format, not: false };
}

/** What the filter says for the loops that are put aside in one way. */
export function asideToken(how: "archived" | "snoozed"): Token {
  return { field: "is", value: how, not: false };
}

/** Whether a filter also looks among loops that are put aside: it names them, or searches words. */
export function looksAside(tokens: readonly Token[]): boolean {
  const names = ({ field, value }: Token) => field === "is" && (value === "archived" || value === "snoozed");
  return tokens.some((token) => !token.not && (token.field === null || names(token)));
}

function propertyMatches(row: LoopRow, value: string, scene: FilterScene): boolean {
  switch (value) {
    case "problem":
    case "error":
      return row.errors > 0 || row.problem !== null;
    case "readonly":
      return row.handling === "read_only";
    case "archived":
      return row.marks.archived;
    case "snoozed":
      return row.marks.snoozed_until !== null;
    case "pinned":
      return row.marks.pinned;
    case "requested":
      return row.request?.state === "requested" || row.request?.state === "failed";
    default:
      return scene.groupOf(row).startsWith(value);
  }
}

/** Whether a cell is wanted; `place` says which of the scene's texts is its own. */
type Matcher = (cell: Cell, place: number) => boolean;

function workspacesNamed(value: string, scene: FilterScene): ReadonlySet<string> {
  return new Set([...scene.workspaces].filter(([, name]) => name.includes(value)).map(([id]) => id));
}

/** What holds of a row by its traits. They are asked once: to read ten thousand rows all over the memory takes longer. */
function ofTraits(holds: (traits: Traits) => boolean): Matcher {
  const answers = new Map<Traits, boolean>();
  return ({ traits }) => {
    const known = answers.get(traits);
    if (known !== undefined) return known;
    const answer = holds(traits);
    answers.set(traits, answer);
    return answer;
  };
}

/** One token as a test. What does not depend on the row is looked up here, once for all rows. */
function matcherOf({ field, value }: Token, scene: FilterScene): Matcher {
  switch (field) {
    case "s": {
      const statuses = statusesOf(value, scene);
      const wanted = withoutJoints(value);
      return ofTraits(
        ({ word, file_word }) => statuses.has(word) || withoutJoints(file_word).startsWith(wanted),
      );
    }
    case "f": {
      const formats = formatsOf(value, scene);
      return ofTraits(({ format }) => formats.has(format));
    }
    case "w": {
      // A whole name is that folder, also where the names of others contain it.
      const whole = [...scene.workspaces].filter(([, names]) => names.split("\n").includes(value));
      const workspaces = whole.length > 0 ? new Map(whole) : workspacesNamed(value, scene);
      return ({ row }) => workspaces.has(row.workspace);
    }
    case "is":
      return ({ row }) => propertyMatches(row, value, scene);
    case "p":
      return ({ row }) => (row.priority ?? "").toLowerCase().startsWith(value);
    case "t":
      return ({ row }) => [...row.tags, ...row.labels].some((tag) => tag.toLowerCase().includes(value));
    case null: {
      const workspaces = workspacesNamed(value, scene);
      const found = scene.texts().having(value);
      if (workspaces.size === 0) return (_, place) => found[place] === 1;
      return (cell, place) => found[place] === 1 || workspaces.has(cell.row.workspace);
    }
  }
}

/**
 * Free words and fields must all match; several values of one field are alternatives, so that two chips of one kind
 * widen the list; a negated token always takes rows away.
 */
export function compileFilter(tokens: readonly Token[], scene: FilterScene): Matcher {
  const all: Matcher[] = [];
  const fields = new Map<TokenField, Matcher[]>();
  for (const token of tokens) {
    const matches = matcherOf(token, scene);
    if (token.not) all.push((cell, place) => !matches(cell, place));
    else if (token.field === null) all.push(matches);
    else fields.set(token.field, [...(fields.get(token.field) ?? []), matches]);
  }
  all.push(...[...fields.values()].map((any) => joinedMatcher(any, true)));
  return joinedMatcher(all, false);
}

/**
 * Several tests as one that holds as soon as one of them does (`any`), or when all do. It is asked
 * ten thousand times for each key typed, so it creates no function and no list on the way: they
 * would have to be collected while the person types.
 */
function joinedMatcher(tests: readonly Matcher[], any: boolean): Matcher {
  const [only] = tests;
  if (only && tests.length === 1) return only;
  return (cell, place) => {
    for (const matches of tests) if (matches(cell, place) === any) return any;
    return !any;
  };
}
