import MarkdownIt, { type Token } from "markdown-it";

/** What a line of text is made of. Text stays text: none of these kinds contains markup. */
export type Inline =
  | { readonly kind: "text" | "code"; readonly text: string }
  | { readonly kind: "break" }
  | { readonly kind: "strong" | "em" | "strike"; readonly children: readonly Inline[] }
  | { readonly kind: "link"; readonly address: string; readonly children: readonly Inline[] }
  | { readonly kind: "image"; readonly address: string; readonly text: string };

export interface Cell {
  readonly align: "start" | "center" | "end";
  readonly children: readonly Inline[];
}

export interface Item {
  /** A checkbox at the beginning; null without one. */
  readonly checked: boolean | null;
  readonly children: readonly Block[];
}

export type Block =
  | { readonly kind: "heading"; readonly level: number; readonly children: readonly Inline[] }
  | { readonly kind: "paragraph"; readonly children: readonly Inline[] }
  | { readonly kind: "code"; readonly text: string; readonly language: string }
  | { readonly kind: "quote"; readonly children: readonly Block[] }
  | { readonly kind: "list"; readonly start: number | null; readonly items: readonly Item[] }
  | { readonly kind: "table"; readonly head: readonly Cell[]; readonly rows: readonly (readonly Cell[])[] }
  | { readonly kind: "rule" };

/** Deeper than this, text is shown as it is written. */
const DEEPEST = 24;

// Raw HTML is text, nothing becomes a link automatically, and quotes stay as they were typed.
const parser = new MarkdownIt({
  html: false,
  linkify: false,
  typographer: false,
  breaks: false,
  maxNesting: DEEPEST,
});

/** Walks tokens that come as opening and closing pairs. */
class Tokens {
  #at = 0;
  readonly #all: readonly Token[];

  constructor(all: readonly Token[]) {
    this.#all = all;
  }

  next(): Token | undefined {
    const token = this.#all[this.#at];
    this.#at += 1;
    return token;
  }

  /** The next token that says something. */
  peek(): Token | undefined {
    let at = this.#at;
    while (this.#all[at]?.type === "text" && this.#all[at]?.content === "") at += 1;
    return this.#all[at];
  }
}

const PAIRS: Readonly<Record<string, "strong" | "em" | "strike">> = {
  strong_open: "strong",
  em_open: "em",
  s_open: "strike",
};

/** The text of an image's description. */
function plainText(tokens: readonly Token[] | null): string {
  return (tokens ?? []).map((one) => one.content + plainText(one.children)).join("");
}

function attributeOf(token: Token, name: string): string {
  return String(token.attrGet(name) ?? "");
}

function inlineOf(token: Token, tokens: Tokens): Inline | null {
  const pair = PAIRS[token.type];
  if (pair) return { kind: pair, children: inlinesOf(tokens) };
  switch (token.type) {
    case "link_open":
      return { kind: "link", address: attributeOf(token, "href"), children: inlinesOf(tokens) };
    case "image":
      return { kind: "image", address: attributeOf(token, "src"), text: plainText(token.children) };
    case "code_inline":
      return { kind: "code", text: token.content };
    case "hardbreak":
      return { kind: "break" };
    case "softbreak":
      // Lines such as “**Task**: …” stand below each other, as the one who wrote them saw them.
      return tokens.peek()?.type === "strong_open" ? { kind: "break" } : { kind: "text", text: " " };
    default:
      return token.content === "" ? null : { kind: "text", text: token.content };
  }
}

/** Up to the end of the pair that is open, or of all. */
function inlinesOf(tokens: Tokens): Inline[] {
  const found: Inline[] = [];
  for (let token = tokens.next(); token && token.nesting !== -1; token = tokens.next()) {
    const one = inlineOf(token, tokens);
    if (one) found.push(one);
  }
  return found;
}

/** The one line of text up to the closing token. */
function lineOf(tokens: Tokens): Inline[] {
  const found: Inline[] = [];
  for (let token = tokens.next(); token && token.nesting !== -1; token = tokens.next()) {
    found.push(...inlinesOf(new Tokens(token.children ?? [])));
  }
  return found;
}

const CHECKBOX = /^\[([ xX])\](?:\s|$)/;

function itemOf(children: readonly Block[]): Item {
  const first = children[0];
  if (first?.kind !== "paragraph") return { checked: null, children };
  const [text, ...rest] = first.children;
  const found = text?.kind === "text" ? CHECKBOX.exec(text.text) : null;
  if (!found || text?.kind !== "text") return { checked: null, children };
  const left: Inline[] = [{ kind: "text", text: text.text.slice(found[0].length) }, ...rest];
  const paragraph: Block = { kind: "paragraph", children: left };
  return { checked: found[1] !== " ", children: [paragraph, ...children.slice(1)] };
}

function itemsOf(tokens: Tokens): Item[] {
  const items: Item[] = [];
  for (let token = tokens.next(); token && token.nesting !== -1; token = tokens.next()) {
    items.push(itemOf(blocksOf(tokens)));
  }
  return items;
}

const ALIGNED = /text-align:\s*(center|right)/;

function cellOf(token: Token, tokens: Tokens): Cell {
  const found = ALIGNED.exec(attributeOf(token, "style"))?.[1];
  return {
    align: found === "center" ? "center" : found === "right" ? "end" : "start",
    children: lineOf(tokens),
  };
}

function tableOf(tokens: Tokens): Block {
  const rows: Cell[][] = [];
  let depth = 1;
  for (let token = tokens.next(); token; token = tokens.next()) {
    if (token.type === "tr_open") rows.push([]);
    if (token.type === "th_open" || token.type === "td_open") rows.at(-1)?.push(cellOf(token, tokens));
    else depth += token.nesting;
    if (depth === 0) break;
  }
  return { kind: "table", head: rows[0] ?? [], rows: rows.slice(1) };
}

function blockOf(token: Token, tokens: Tokens): Block | null {
  switch (token.type) {
    case "heading_open":
      return { kind: "heading", level: Number(token.tag.slice(1)), children: lineOf(tokens) };
    case "paragraph_open":
      return { kind: "paragraph", children: lineOf(tokens) };
    case "blockquote_open":
      return { kind: "quote", children: blocksOf(tokens) };
    case "bullet_list_open":
      return { kind: "list", start: null, items: itemsOf(tokens) };
    case "ordered_list_open":
      return { kind: "list", start: Number(token.attrGet("start") ?? 1), items: itemsOf(tokens) };
    case "table_open":
      return tableOf(tokens);
    case "fence":
    case "code_block":
      return { kind: "code", text: token.content.replace(/\n$/, ""), language: token.info.trim() };
    case "hr":
      return { kind: "rule" };
    case "inline":
      return { kind: "paragraph", children: inlinesOf(new Tokens(token.children ?? [])) };
    default:
      return token.content === ""
        ? null
        : { kind: "paragraph", children: [{ kind: "text", text: token.content }] };
  }
}

function blocksOf(tokens: Tokens): Block[] {
  const found: Block[] = [];
  for (let token = tokens.next(); token && token.nesting !== -1; token = tokens.next()) {
    const one = blockOf(token, tokens);
    if (one) found.push(one);
  }
  return found;
}

/** Addresses that a document names once, for links anywhere in it. */
type References = Record<string, unknown>;

const DEFINITION = /^ {0,3}\[[^\]]{1,200}\]:\s*\S/;

export function referencesOf(lines: readonly string[]): References {
  const references: References = {};
  const named = lines.filter((line) => DEFINITION.test(line));
  if (named.length > 0) parser.parse(named.join("\n\n"), references);
  return references;
}

/** Markdown as blocks to be drawn. */
export function parseMarkdown(text: string, references: References = {}): Block[] {
  return blocksOf(new Tokens(parser.parse(text, { ...references })));
}

/** The texts of blocks in reading order, as they are drawn: what can be found in them. */
export function textsOf(blocks: readonly Block[]): string[] {
  return blocks.flatMap((block): string[] => {
    switch (block.kind) {
      case "heading":
      case "paragraph":
        return inlineTexts(block.children);
      case "code":
        return [block.text];
      case "quote":
        return textsOf(block.children);
      case "list":
        return block.items.flatMap((item) => textsOf(item.children));
      case "table":
        return [block.head, ...block.rows].flat().flatMap((cell) => inlineTexts(cell.children));
      default:
        return [];
    }
  });
}

function inlineTexts(children: readonly Inline[]): string[] {
  return children.flatMap((one): string[] => {
    if ("children" in one) return inlineTexts(one.children);
    return "text" in one ? [one.text] : [];
  });
}
