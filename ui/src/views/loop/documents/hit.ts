import { tick } from "svelte";
import type { Hit } from "./find.svelte";

interface Shows {
  show(index: number): Promise<void>;
  element(): HTMLElement | undefined;
}

/** Brings a found place into view and marks it as the present one. */
export async function showHit(blocks: Shows | undefined, hit: Hit): Promise<void> {
  const box = blocks?.element();
  if (!blocks || !box) return;
  await tick();
  let marks = marksOf(box, hit);
  if (!marks[hit.nth]) {
    await blocks.show(hit.unit);
    await tick();
    marks = marksOf(box, hit);
  }
  markHere(box, box.querySelector<HTMLElement>(`[data-index="${hit.unit}"]`), hit.nth);
}

/** Marks one of the places that were found in `unit` as the present one, and no other. */
export function markHere(box: HTMLElement | undefined, unit: HTMLElement | null, nth: number): void {
  for (const mark of box?.querySelectorAll("mark[data-here]") ?? []) mark.removeAttribute("data-here");
  const mark = unit?.querySelectorAll("mark")[nth];
  mark?.setAttribute("data-here", "");
  mark?.scrollIntoView({ block: "nearest", inline: "nearest" });
}

function marksOf(box: HTMLElement, hit: Hit): HTMLElement[] {
  return [...box.querySelectorAll<HTMLElement>(`[data-index="${hit.unit}"] mark`)];
}
