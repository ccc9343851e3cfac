import type { CustomAgentForm, FormProblem } from "../../host/bindings";
import { fill, say, t } from "../../words/language.svelte";
import { known } from "../../words/phrases";

export const LEVELS = ["look_only", "edit_files", "full_access"] as const;
type LevelName = (typeof LEVELS)[number];

/** What it writes, with the name of its words. */
export const OUTPUTS = [
  ["text", "text"],
  ["claude-jsonl", "claude"],
  ["qwen-jsonl", "qwen"],
  ["codex-jsonl", "codex"],
  ["gemini-jsonl", "gemini"],
] as const;

/** Whole lines that stand for something of the run. */
export const PLACEHOLDERS = ["model", "session", "dir", "prompt_file"] as const;

/** The form as it is typed: lists as lines. */
export interface Typed {
  id: string;
  name: string;
  program: string;
  args: string;
  promptBy: "stdin" | "file";
  output: string;
  offers: Record<LevelName, boolean>;
  levels: Record<LevelName, string>;
  resume: string;
  version: string;
  environment: string;
}

/** Names of fields, as problems name them here. */
type Field = "id" | "name" | "program" | "args" | "prompt" | LevelName | "resume" | "version" | "environment";
export type Wrong = Partial<Record<Field, string>>;

const text = (lines: readonly string[] | null | undefined) => (lines ?? []).join("\n");

/** A new agent begins with the level that changes nothing. */
export function typedOf(agent: CustomAgentForm | null): Typed {
  const given = (level: LevelName) => (agent ? (agent[level] ?? null) !== null : level === "look_only");
  return {
    id: agent?.id ?? "",
    name: agent?.name ?? "",
    program: agent?.program ?? "",
    args: text(agent?.args),
    promptBy: agent?.prompt_in_file ? "file" : "stdin",
    output: agent?.output ?? "text",
    offers: {
      look_only: given("look_only"),
      edit_files: given("edit_files"),
      full_access: given("full_access"),
    },
    levels: {
      look_only: text(agent?.look_only),
      edit_files: text(agent?.edit_files),
      full_access: text(agent?.full_access),
    },
    resume: text(agent?.resume),
    version: text(agent?.version),
    environment: Object.entries(agent?.environment ?? {})
      .map(([name, value]) => `${name}=${value}`)
      .join("\n"),
  };
}

/** Lines with something in them, and where they stand, from 1. */
function numbered(lines: string): { readonly line: string; readonly at: number }[] {
  return lines
    .split("\n")
    .map((line, index) => ({ line: line.replace(/\r$/, ""), at: index + 1 }))
    .filter(({ line }) => line.trim() !== "");
}

/** Arguments, one on each line; empty lines are none. */
function filledLines(lines: string): string[] {
  return numbered(lines).map(({ line }) => line);
}

const PAIR = /^\s*([^=]+?)\s*=(.*)$/;

export function agentForm(typed: Typed): CustomAgentForm {
  const level = (name: LevelName) => (typed.offers[name] ? filledLines(typed.levels[name]) : null);
  const pairs = filledLines(typed.environment).flatMap((line) => {
    const [, name, value] = PAIR.exec(line) ?? [];
    return name === undefined || value === undefined ? [] : [[name, value] as const];
  });
  return {
    id: typed.id.trim(),
    name: typed.name.trim(),
    program: typed.program.trim(),
    args: filledLines(typed.args),
    prompt_in_file: typed.promptBy === "file",
    output: typed.output,
    look_only: level("look_only"),
    edit_files: level("edit_files"),
    full_access: level("full_access"),
    resume: filledLines(typed.resume),
    version: filledLines(typed.version),
    environment: Object.fromEntries(pairs),
  };
}

/** What only the page can see: lines that are no pairs, and an id that another agent has. */
export function wrongHere(typed: Typed, taken: readonly string[]): Wrong {
  const wrong: Wrong = {};
  const bad = numbered(typed.environment).find(({ line }) => !PAIR.test(line));
  if (bad) wrong.environment = say(t.ownAgent.badLine, { line: bad.at });
  if (taken.includes(typed.id.trim())) wrong.id = t.ownAgent.taken;
  return wrong;
}

const FIELDS: Readonly<Record<string, Field>> = { version_args: "version", env: "environment" };
const KNOWN: readonly string[] = [
  "id",
  "name",
  "program",
  "args",
  "prompt",
  ...LEVELS,
  "resume",
  "version",
  "environment",
];

/** The text of a field that problems count lines in. */
function linesIn(typed: Typed, field: Field): string {
  if (field === "args" || field === "resume" || field === "version") return typed[field];
  return field in typed.levels ? typed.levels[field as LevelName] : "";
}

function sentence({ code, args }: FormProblem): string {
  const message = known(t.ownAgentProblem, code) ?? known(t.start.problem, code === "empty" ? "blank" : code);
  const placeholder = code === "resume_without_session" ? "{session}" : "{prompt_file}";
  return fill(message ?? t.ownAgentProblem.otherwise, { value: args.value ?? "", placeholder, code });
}

/**
 * The first problem of each field, with the line that it is about. Unknown fields are shown at the
 * program.
 */
export function wrongFrom(problems: readonly FormProblem[], typed: Typed): Wrong {
  const wrong: Wrong = {};
  for (const problem of problems) {
    const [, name = "", index] = /^(\w+)(?:\[(\d+)\])?$/.exec(problem.field) ?? [];
    const asked = Object.hasOwn(FIELDS, name) ? FIELDS[name] : name;
    const field = (KNOWN.includes(asked ?? "") ? asked : "program") as Field;
    const at = index === undefined ? undefined : numbered(linesIn(typed, field))[Number(index)]?.at;
    const said = sentence(problem);
    wrong[field] ??= at === undefined ? said : say(t.common.lineSays, { line: at, text: said });
  }
  return wrong;
}

/** An id made of the name, as a first proposal. */
export function idFrom(name: string): string {
  return name
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, 40)
    .replace(/-+$/, "");
}
