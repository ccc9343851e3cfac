import { gathered, type Sections } from "./gathered";

/** What the window's start shows; `readLaterWords` adds all others. */
export const en = gathered(
  import.meta.glob<Sections>("./en/*.json", { eager: true, import: "default", query: "?first" }),
);

/** Adds the messages that only parts of the window show which are loaded later. */
export async function readLaterWords(): Promise<void> {
  const { later } = await import("./en-later");
  const sections = en as unknown as Record<string, object>;
  for (const [name, messages] of Object.entries(later)) sections[name] = { ...sections[name], ...messages };
}
