import type { LanguageId } from "../../words/language.svelte";
import { parseMarkdown, textsOf, type Block, type Inline, type Item } from "../loop/documents/markdown";

export interface GuidePage {
  /** Its file without the ending. */
  readonly name: string;
  readonly lang: LanguageId;
  readonly title: string;
  /** What is below the title, without what the window cannot show. */
  readonly blocks: readonly Block[];
  /** The same as plain text, to be looked through: a paragraph, an item or a row each. */
  readonly lines: readonly string[];
}

interface GuideGroup {
  readonly title: string;
  readonly pages: readonly GuidePage[];
}

export interface Guide {
  readonly pages: ReadonlyMap<string, GuidePage>;
  /** As the index has them. */
  readonly groups: readonly GuideGroup[];
}

export const INDEX = "index";
/** It has one language, and is a page of the guide where the guide leads to it. */
const TEAM = "docs/team.md";

// Read when the guide is opened: the window starts without it.
const FILES = import.meta.glob<string>(["../../../../docs/guide/*/*.md", "../../../../docs/team.md"], {
  query: "?raw",
  import: "default",
});
const READERS = new Map(Object.entries(FILES).map(([path, read]) => [path.replace(/^(\.\.\/)+/, ""), read]));

const known = new Map<LanguageId, Promise<Guide>>();

export function readGuide(lang: LanguageId): Promise<Guide> {
  const guide = known.get(lang) ?? gatherGuide(lang);
  known.set(lang, guide);
  // What could not be read is asked for again with the next visit.
  guide.catch(() => known.delete(lang));
  return guide;
}

async function gatherGuide(lang: LanguageId): Promise<Guide> {
  const own = [...READERS.keys()].filter((path) => path.startsWith(`docs/guide/${lang}/`));
  const texts = await textsAt(own);
  if ([...texts.values()].some((text) => text.includes("](../../team.md)")))
    for (const [path, text] of await textsAt([TEAM])) texts.set(path, text);
  const names = new Map([...texts.keys()].map((path) => [path, nameAt(path)]));
  const pages = new Map<string, GuidePage>();
  for (const [path, text] of texts)
    pages.set(nameAt(path), guidePage(path, text, path === TEAM ? "en" : lang, names));
  return { pages, groups: groupsOf(pages) };
}

async function textsAt(paths: readonly string[]): Promise<Map<string, string>> {
  return new Map(await Promise.all(paths.map(async (path) => [path, await READERS.get(path)!()] as const)));
}

const nameAt = (path: string) => path.slice(path.lastIndexOf("/") + 1, -".md".length);

function guidePage(
  path: string,
  text: string,
  lang: LanguageId,
  names: ReadonlyMap<string, string>,
): GuidePage {
  const name = nameAt(path);
  const goal = (address: string) =>
    isOutside(address) ? address : (names.get(resolved(address, path)) ?? null);
  const all = parseMarkdown(text);
  const [first, ...rest] = all;
  const titled = first?.kind === "heading";
  const below = (titled ? rest : all).filter((block) => name !== INDEX || !leadsAway(block, goal));
  const blocks = shownBlocks(below, goal);
  return { name, lang, title: titled ? textsOf([first]).join("") : name, blocks, lines: linesOf(blocks) };
}

/** Where a link leads: the name of a page, an address outside, or nothing that the window has. */
export type Goal = (address: string) => string | null;

export const isOutside = (address: string) => /^(https?|mailto):/i.test(address);

/** A relative address as a path from the root of the repository. */
function resolved(address: string, from: string): string {
  const url = URL.parse(address, `guide://root/${from}`);
  return url?.protocol === "guide:" ? decodeURI(url.pathname.slice(1)) : "";
}

/** A line of the index that only leads to what the window does not have, such as the guide in other languages. */
function leadsAway(block: Block, goal: Goal): boolean {
  const links = block.kind === "paragraph" ? linksOf([block]) : [];
  return links.length > 0 && links.every((address) => goal(address) === null);
}

export function shownBlocks(blocks: readonly Block[], goal: Goal): Block[] {
  return blocks.flatMap((block): Block[] => {
    switch (block.kind) {
      case "heading":
      case "paragraph": {
        const children = shownInlines(block.children, goal);
        return children.length === 0 ? [] : [{ ...block, children }];
      }
      case "quote":
        return [{ ...block, children: shownBlocks(block.children, goal) }];
      case "list":
        return [{ ...block, items: block.items.map((item) => shownItem(item, goal)) }];
      case "table": {
        const row = (cells: typeof block.head) =>
          cells.map((cell) => ({ ...cell, children: shownInlines(cell.children, goal) }));
        return [{ ...block, head: row(block.head), rows: block.rows.map(row) }];
      }
      default:
        return [block];
    }
  });
}

const shownItem = (item: Item, goal: Goal): Item => ({ ...item, children: shownBlocks(item.children, goal) });

/** Pictures are too large to come with the window; what leads nowhere stays as text. */
function shownInlines(children: readonly Inline[], goal: Goal): Inline[] {
  return children.flatMap((one): Inline[] => {
    if (one.kind === "image") return [];
    if (!("children" in one)) return [one];
    const inner = shownInlines(one.children, goal);
    if (one.kind !== "link") return [{ ...one, children: inner }];
    const address = goal(one.address);
    return address === null ? inner : [{ ...one, address, children: inner }];
  });
}

/** The addresses of the links in blocks. */
export function linksOf(blocks: readonly Block[]): string[] {
  const inInlines = (children: readonly Inline[]): string[] =>
    children.flatMap((one) => [
      ...(one.kind === "link" ? [one.address] : []),
      ...("children" in one ? inInlines(one.children) : []),
    ]);
  return blocks.flatMap((block): string[] => {
    if (block.kind === "heading" || block.kind === "paragraph") return inInlines(block.children);
    if (block.kind === "quote") return linksOf(block.children);
    if (block.kind === "list") return block.items.flatMap((item) => linksOf(item.children));
    if (block.kind !== "table") return [];
    return [block.head, ...block.rows].flat().flatMap((cell) => inInlines(cell.children));
  });
}

function linesOf(blocks: readonly Block[]): string[] {
  return blocks.flatMap((block): string[] => {
    if (block.kind === "quote") return linesOf(block.children);
    if (block.kind === "list") return block.items.flatMap((item) => linesOf(item.children));
    if (block.kind === "table")
      return [block.head, ...block.rows].map((row) =>
        textsOf([{ kind: "table", head: row, rows: [] }]).join(" "),
      );
    return textsOf([block]).filter((text) => text.trim() !== "").length > 0
      ? [textsOf([block]).join("")]
      : [];
  });
}

/** The lists below the headings of the index. */
function groupsOf(pages: ReadonlyMap<string, GuidePage>): GuideGroup[] {
  const groups: { title: string; pages: GuidePage[] }[] = [];
  for (const block of pages.get(INDEX)?.blocks ?? []) {
    if (block.kind === "heading") groups.push({ title: textsOf([block]).join(""), pages: [] });
    if (block.kind !== "list") continue;
    for (const address of linksOf([block])) {
      const page = pages.get(address);
      if (page) groups.at(-1)?.pages.push(page);
    }
  }
  return groups.filter((group) => group.pages.length > 0);
}
