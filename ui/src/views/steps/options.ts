import type { AgentRow, AtomView, CheckKind, LoopDetail } from "../../host/bindings";
import { t } from "../../words/language.svelte";
import { taskStatus } from "../../words/loop-phrases";
import { known, wordText } from "../../words/phrases";

/** Words of a format with how they read; those the catalogue lacks are shown as written. */
export function wordOptions<Word extends string>(words: readonly Word[]): [Word, string][] {
  return words.map((word) => [word, known(t.action, word) ?? known(t.option, word) ?? wordText(word)]);
}

/** Agents that a task can name as its tool: those that can be used here, each once. */
export function toolOptions(agents: readonly AgentRow[]): [string, string][] {
  const usable = agents.filter(({ readiness, tool }) => readiness !== "unusable" && tool !== "");
  const text = ({ kind, name }: AgentRow) => (kind === "shell" ? t.option.bash : name);
  return [...new Map(usable.map((agent) => [agent.tool, text(agent)]))];
}

/** Atoms to tick, each with what it is doing. */
export function atomList(atoms: readonly AtomView[]) {
  return atoms.map((atom) => ({
    id: atom.id,
    text: atom.description,
    word: atom.state,
    said: t.atom[atom.state],
  }));
}

/** What the value of a check is; of what must fail or be absent, the same as of what must not. */
export function valueLabel(kind: Exclude<CheckKind, "tests_kept">): string {
  if (kind === "not_command") return t.field.valueOf.command;
  return kind === "not_file" ? t.field.valueOf.file : t.field.valueOf[kind];
}

/** Atoms to choose one of. */
export function atomOptions(atoms: readonly AtomView[]): [string, string][] {
  return atoms.map((atom) => [atom.id, `${atom.id} · ${t.atom[atom.state]} · ${atom.description}`]);
}

export function taskOptions(tasks: LoopDetail["tasks"]): [string, string][] {
  return tasks.map((task) => [task.id, `${task.id} · ${taskStatus(task)} · ${task.description}`]);
}

export function groupOptions(detail: LoopDetail): [string, string][] {
  return detail.or_groups.map((group) => [group.name, group.name]);
}

/** The choices of a group, with what is known about each. */
export function branchOptions(detail: LoopDetail, name: string): [string, string][] {
  const choices = detail.or_groups.find((group) => group.name === name)?.choices ?? [];
  return choices.map((choice) => {
    const atom = detail.atoms.find((one) => one.id === choice.id);
    const said = choice.failed ? t.atom.failed : atom ? t.atom[atom.state] : t.common.doesNotExist;
    return [choice.id, [choice.id, said, atom?.description].filter(Boolean).join(" · ")];
  });
}
