import { isDark, isDrawn, isKept, type Attributes, type DrawnNode, type Picture } from "./picture";

const SVG = "http://www.w3.org/2000/svg";
const ID = "last-list";

/** Draws the list as it was left above the page, where it stays until {@link removeLastList}. False when there is none to draw. */
export function drawLastList(page: Document, kept: unknown): boolean {
  if (!isPicture(kept) || kept.dark !== isDark()) return false;
  try {
    put(page, kept);
    return true;
  } catch {
    // The file is damaged. The window opens as it does without one.
    removeLastList(page);
    return false;
  }
}

/** From here on the page itself is seen. */
export function removeLastList(page: Document): void {
  page.getElementById(ID)?.remove();
}

/** Until then, keys and presses are not for the page below. */
export function isLastListShown(page: Document): boolean {
  return page.getElementById(ID) !== null;
}

/** It comes from a file of ours, which somebody may have changed. */
function isPicture(kept: unknown): kept is Picture {
  return typeof kept === "object" && kept !== null && "window" in kept && "root" in kept && "note" in kept;
}

function put(page: Document, kept: Picture): void {
  const above = page.createElement("div");
  above.id = ID;
  // It takes what is meant for the list, so that nobody presses a button that is somewhere else by now.
  const picture = page.createElement("div");
  picture.inert = true;
  picture.append(drawn(page, kept.window, null));
  const note = page.createElement("p");
  note.append(kept.note);
  above.append(picture, note);
  setAttributes(page.documentElement, kept.root);
  page.body.append(above);
}

function drawn(page: Document, node: DrawnNode, space: string | null): Node {
  if (!Array.isArray(node)) return page.createTextNode(String(node));
  const [tag, attributes, children] = node as unknown as Exclude<DrawnNode, string>;
  if (!isDrawn(tag)) return page.createTextNode("");
  const within = tag === "svg" ? SVG : space;
  const element = within ? page.createElementNS(within, tag) : page.createElement(tag);
  setAttributes(element, attributes);
  element.append(...children.map((child) => drawn(page, child, within)));
  return element;
}

function setAttributes(element: Element, attributes: Attributes): void {
  for (const [name, value] of Object.entries(attributes)) {
    // The page's rules forbid style attributes, not styles that a script sets.
    if (name === "style") (element as HTMLElement | SVGElement).style.cssText = value;
    else if (isKept(name) || name === "lang") element.setAttribute(name, value);
  }
}
