import type { Group, LoopRow, StatusWord } from "../host/bindings";

/** Fields a token may name: status, format, workspace, a property, priority, tag. */
export type TokenField = "s" | "f" | "w" | "is" | "p" | "t";

export interface Token {
  /** Null for a free word. */
  readonly field: TokenField | null;
  readonly value: string;
  readonly not: boolean;
}

/** What a filter can look at besides the row. */
export interface FilterScene {
  groupOf(row: LoopRow): Group;
  workspaceName(id: string): string;
  /** The status word in the language of the window, lower case. */
  statusWord(row: LoopRow): string;
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

function same(a: Token, b: Token): boolean {
  return a.field === b.field && a.value === b.value && a.not === b.not;
}

export function hasToken(text: string, token: Token): boolean {
  return parseFilter(text).some((other) => same(other, token));
}

/** Adds the token, or takes it out when it is there: chips are toggles of the same text. */
export function toggleToken(text: string, token: Token): string {
  const tokens = parseFilter(text);
  const rest = tokens.filter((other) => !same(other, token));
  return filterText(rest.length < tokens.length ? rest : [...tokens, token]);
}

/** Ten thousand rows have a few words among them. */
const PLAIN = new Map<string, string>();
const MOST_PLAIN = 500;

/** A word without case and joints. */
function plain(word: string): string {
  const known = PLAIN.get(word);
  if (known !== undefined) return known;
  const made = word.toLowerCase().replace(/[\s_-]/g, "");
  // Files can have any word.
  if (PLAIN.size < MOST_PLAIN) PLAIN.set(word, made);
  return made;
}

/** Words of the filter that stand for several statuses. */
const STATUS_FAMILIES: Readonly<Record<string, readonly StatusWord[]>> = {
  done: ["completed", "completed_with_warnings"],
  ended: ["completed", "completed_with_warnings", "failed", "stopped", "left_by_user"],
};

function statusMatches(row: LoopRow, value: string, scene: FilterScene): boolean {
  if (STATUS_FAMILIES[value]?.includes(row.word)) return true;
  const wanted = plain(value);
  return [row.word, row.file_word, scene.statusWord(row)].some((word) => plain(word).startsWith(wanted));
}

function formatMatches(row: LoopRow, value: string): boolean {
  const format = plain(row.format);
  const wanted = plain(value);
  return format.startsWith(wanted) || format.replace("loop", "").startsWith(wanted);
}

function propertyMatches(row: LoopRow, value: string, scene: FilterScene): boolean {
  switch (value) {
    case "problem":
    case "error":
      return row.errors > 0 || row.problem !== null;
    case "readonly":
      return row.handling === "read_only";
    case "requested":
      return row.request !== null && row.request.state !== "in_effect";
    default:
      return scene.groupOf(row).startsWith(value);
  }
}

function tokenMatches(token: Token, row: LoopRow, haystack: string, scene: FilterScene): boolean {
  switch (token.field) {
    case "s":
      return statusMatches(row, token.value, scene);
    case "f":
      return formatMatches(row, token.value);
    case "w":
      return scene.workspaceName(row.workspace).toLowerCase().includes(token.value);
    case "is":
      return propertyMatches(row, token.value, scene);
    case "p":
      return (row.priority ?? "").toLowerCase().startsWith(token.value);
    case "t":
      return row.tags.some((tag) => tag.toLowerCase().includes(token.value));
    case null:
      return (
        haystack.includes(token.value) ||
        scene.workspaceName(row.workspace).toLowerCase().includes(token.value)
      );
  }
}

export type Matcher = (row: LoopRow, haystack: string) => boolean;

/**
 * Free words and fields must all match; several values of one field are alternatives, so that two chips of one kind
 * widen the list; a negated token always takes rows away.
 */
export function compileFilter(tokens: readonly Token[], scene: FilterScene): Matcher {
  const needed = tokens.filter((token) => !token.not && token.field === null);
  const refused = tokens.filter((token) => token.not);
  const fields = new Map<TokenField, Token[]>();
  for (const token of tokens) {
    if (token.not || token.field === null) continue;
    fields.set(token.field, [...(fields.get(token.field) ?? []), token]);
  }
  const alternatives = [...fields.values()];
  return (row, haystack) => {
    const matches = (token: Token) => tokenMatches(token, row, haystack, scene);
    return needed.every(matches) && !refused.some(matches) && alternatives.every((any) => any.some(matches));
  };
}
