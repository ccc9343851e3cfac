import { isDark, isDrawn, isKept, type Attributes, type DrawnNode, type Picture } from "./picture";

const SVG = "http://www.w3.org/2000/svg";
const ID = "last-list";

/** Draws the list as it was left on top of the page. It stays until {@link removeLastList}. Returns whether there was one to draw. */
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

/** Uncovers the page. */
export function removeLastList(page: Document): void {
  page.getElementById(ID)?.remove();
}

/** Whether it covers the page, which ignores keys until then. */
export function isLastListShown(page: Document): boolean {
  return page.getElementById(ID) !== null;
}

/** The picture comes from a file of ours, which may have been edited. */
function isPicture(kept: unknown): kept is Picture {
  return typeof kept === "object" && kept !== null && "window" in kept && "root" in kept && "note" in kept;
}

function put(page: Document, kept: Picture): void {
  const above = page.createElement("div");
  above.id = ID;
  // It swallows clicks: the button under the pointer may be elsewhere in the new list.
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
  if (typeof node === "string") return page.createTextNode(node);
  const [tag, attributes, children] = node;
  if (!isDrawn(tag)) return page.createTextNode("");
  const within = tag === "svg" ? SVG : space;
  const element = within ? page.createElementNS(within, tag) : page.createElement(tag);
  setAttributes(element, attributes);
  element.append(...children.map((child) => drawn(page, child, within)));
  return element;
}

function setAttributes(element: Element, attributes: Attributes): void {
  for (const [name, value] of Object.entries(attributes)) {
    // The content security policy forbids style attributes, but not styles set by a script.
    if (name === "style") (element as HTMLElement | SVGElement).style.cssText = value;
    else if (isKept(name) || name === "lang") element.setAttribute(name, value);
  }
}
