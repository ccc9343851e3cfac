import { commandLine } from "../../state/command-line";
import { readEvidence, type Entry } from "../loop/board/evidence";
import { withoutCodes } from "../loop/output/ansi";
import { editText } from "../loop/output/edit";
import { inputText } from "../loop/output/rows";

/** What a tool is to be used for. */
export interface Asked {
  /** As a person would type or read it. */
  readonly text: string;
  /** A command line rather than names and values. */
  readonly isCommand: boolean;
  /** It leaves something out, or writes it in another way: the exact input has to be there too. */
  readonly isShortened: boolean;
}

const COMMANDS = ["command", "cmd"];

function commandOf({ value }: Entry): string | null {
  if (value.kind === "text") return value.text;
  if (value.kind !== "list" || value.entries.some((entry) => entry.value.kind !== "text")) return null;
  return commandLine(value.entries.map((entry) => (entry.value.kind === "text" ? entry.value.text : "")));
}

/**
 * What is asked for, of the exact input of a tool. An input that is cut, or that names a field twice, says one thing to
 * one reader and another to the next: it stays as it came.
 */
export function askedOf(input: string): Asked {
  const exact = { text: input, isCommand: !input.startsWith("{"), isShortened: false };
  const read = input.startsWith("{") ? readEvidence(input) : null;
  if (read === null || read.cut || read.value.kind !== "object") return exact;
  const { entries } = read.value;
  if (new Set(entries.map(({ name }) => name)).size < entries.length) return exact;
  const command = entries.find(({ name }) => COMMANDS.includes(name));
  const line = command ? commandOf(command) : null;
  const edit = line === null ? editText(input) : null;
  const text = line ?? (edit === null ? inputText(input) : withoutCodes(edit));
  return text.trim() === "" ? exact : { text, isCommand: line !== null, isShortened: text !== input };
}
