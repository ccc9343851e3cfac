import type { Attachment } from "svelte/attachments";

/**
 * Moves an overlay to the end of the page: inside a list its position would be counted from the list's box, and rows
 * below would be painted over it.
 */
export const toBody: Attachment<HTMLElement> = (node) => {
  document.body.append(node);
  return () => node.remove();
};
