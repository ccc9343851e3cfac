import { parseMarkdown, type Block } from "../loop/documents/markdown";
import { isOutside, shownBlocks } from "../guide/guide";

/** What changed from version to version: the changelog without its title. Links within the repository lead nowhere here. */
export async function readChanges(): Promise<readonly Block[]> {
  const { default: text } = await import("../../../../CHANGELOG.md?raw");
  const [first, ...rest] = parseMarkdown(text);
  const below = first && first.kind !== "heading" ? [first, ...rest] : rest;
  return shownBlocks(below, (address) => (isOutside(address) ? address : null));
}
