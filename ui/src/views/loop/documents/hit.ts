import { tick } from "svelte";
import type { Attachment } from "svelte/attachments";
import type { Find, Hit } from "./find.svelte";

interface Shows {
  show(index: number): Promise<void>;
  element(): HTMLElement | undefined;
}

/** Brings a found place into view. */
export async function showHit(blocks: Shows | undefined, hit: Hit): Promise<void> {
  const box = blocks?.element();
  if (!blocks || !box) return;
  await tick();
  const mark = () => box.querySelectorAll(`[data-index="${hit.unit}"] mark`)[hit.nth];
  if (!mark()) {
    await blocks.show(hit.unit);
    await tick();
  }
  mark()?.scrollIntoView({ block: "nearest", inline: "nearest" });
}

/** Marks the present place where it is in `unit`, also after the unit is drawn again with another `content`. */
export function presentIn(find: Find, unit: number, content: unknown): Attachment<HTMLElement> {
  return (node) => {
    void content;
    const { hit, marked } = find;
    const here = marked !== "" && hit?.unit === unit ? hit.nth : -1;
    node.querySelectorAll("mark").forEach((mark, at) => mark.toggleAttribute("data-here", at === here));
  };
}
