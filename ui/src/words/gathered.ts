import type { Words } from "./catalogue";

/** What one file of a catalogue has: messages by section. */
export type Sections = Readonly<Record<string, object>>;

/** The files of one language as one catalogue; a test sees to it that each has the messages of the English ones. */
export function gathered(files: Readonly<Record<string, Sections>>): Words {
  return Object.assign({}, ...Object.values(files)) as Words;
}
