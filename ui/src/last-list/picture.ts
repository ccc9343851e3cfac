/**
 * What the list looked like, as plain data: texts and elements without anything that acts. It is drawn at the next start
 * until the folders are read.
 */
export interface Picture {
  /** Attributes of the root element: theme, density, language. */
  readonly root: Attributes;
  /** Whether the system was dark. After a switch, the picture no longer fits. */
  readonly dark: boolean;
  /** Says that this is how the list was left, in the language of the window. */
  readonly note: string;
  readonly window: DrawnElement;
}

export type Attributes = Readonly<Record<string, string>>;
type DrawnElement = readonly [tag: string, attributes: Attributes, children: readonly DrawnNode[]];
export type DrawnNode = string | DrawnElement;

/** Elements of the list. No other is taken or drawn. */
const TAGS =
  /^(?:a|aside|button|circle|code|d[dlt]|div|em|footer|form|g|h[1-3]|header|input|kbd|label|li|line|main|nav|ol|option|p|path|polygon|polyline|rect|section|select|small|span|strong|svg|table|t(?:body|d|h|head|r)|time|ul)$/;
/** Attributes that styles and shapes need: no address, no handler, no reference to another element. */
const ATTRIBUTES =
  /^(?:class|style|hidden|disabled|placeholder|type|width|height|viewBox|d|x|y|x1|x2|y1|y2|cx|cy|r|rx|ry|points|transform|fill|stroke|stroke-[\w-]+|role|aria-(?:current|expanded|pressed|selected|disabled|busy)|data-(?!testid|tip|key)[\w-]+)$/;

export const isDrawn = (tag: string): boolean => TAGS.test(tag);
export const isKept = (attribute: string): boolean => ATTRIBUTES.test(attribute);

/** Takes the picture of `window`, which is on the page. Its note is `note`. */
export function takePicture(window: Element, note: string): Picture {
  return {
    root: attributesOf(window.ownerDocument.documentElement),
    dark: isDark(),
    note,
    window: taken(window),
  };
}

export function isDark(): boolean {
  return matchMedia("(prefers-color-scheme: dark)").matches;
}

function taken(element: Element): DrawnElement {
  const children = [...element.childNodes].flatMap((node): DrawnNode[] => {
    if (node instanceof Text) return node.data === "" ? [] : [node.data];
    const isSeen = !(node instanceof HTMLOptionElement) || node.selected;
    return node instanceof Element && isSeen && isDrawn(node.localName) ? [taken(node)] : [];
  });
  return [element.localName, attributesOf(element), children];
}

function attributesOf(element: Element): Attributes {
  const kept = [...element.attributes].filter(({ name }) => isKept(name) || name === "lang");
  return Object.fromEntries(kept.map(({ name, value }) => [name, value]));
}
