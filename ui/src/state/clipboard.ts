/**
 * Text into the clipboard. Some web views allow writing only within the click itself: what is still being asked for is
 * handed over as a promise where they can take one.
 */
export async function writeClipboard(text: string | Promise<string>): Promise<void> {
  const { clipboard } = navigator;
  if (typeof text === "string") return clipboard.writeText(text);
  if (typeof ClipboardItem === "function" && typeof clipboard.write === "function") {
    const blob = text.then((known) => new Blob([known], { type: "text/plain" }));
    try {
      return await clipboard.write([new ClipboardItem({ "text/plain": blob })]);
    } catch {
      // Not every web view takes promises; the plain way may still be open.
    }
  }
  return clipboard.writeText(await text);
}
