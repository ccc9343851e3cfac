/** How wide a text is, in pixels. */
export type Measure = (text: string) => number;

/** How wide a text of 12 pixels is about, where nothing can measure it. */
function guessed(text: string): number {
  let width = 0;
  for (const sign of text) width += (sign.codePointAt(0) ?? 0) > 0x2e7f ? 12 : 6.3;
  return width;
}

const PLAIN = /^[ -~]*$/;

/**
 * Measures texts in a font, written as in CSS. Plain letters are measured once each and added up: a graph that moves asks
 * for many texts in one frame. Where two of them move closer together, that is a little too much.
 */
export function measurer(font: string): Measure {
  const ctx = document.createElement("canvas").getContext("2d");
  if (!ctx) return guessed;
  ctx.font = font;
  const widths = new Map<string, number>();
  const widthOf = (letter: string): number => {
    const known = widths.get(letter);
    if (known !== undefined) return known;
    const { width } = ctx.measureText(letter);
    widths.set(letter, width);
    return width;
  };
  return (text) => {
    if (text !== "…" && !PLAIN.test(text)) return ctx.measureText(text).width;
    let width = 0;
    for (const letter of text) width += widthOf(letter);
    return width;
  };
}
