/** What the person reads of a need where they answer it. */
import type { AnswerError, Need, NeedKind, QuestionLine } from "../host/bindings";
import { fill, t } from "./language.svelte";
import { agentOf, arg, isFailureKind, leftOf, sentence } from "./need-phrases";
import { known } from "./phrases";

/** Whether what the need says is the agent's own text, and not the name of a failure of ours. */
export function saysItself(need: Need): boolean {
  if (need.text.trim() === "") return false;
  return need.kind !== "failed" || !isFailureKind(arg(need, "code"));
}

/** One thing that is wrong with an agent's answer, in a line. */
export function answerErrorText({ code, place, found, line: number }: AnswerError): string {
  const error = fill(sentence(t.answerError, code) ?? code);
  const placed = place === "" ? error : fill(t.units.labelled, { name: place, value: error });
  const line = number === null ? placed : fill(t.common.lineSays, { line: number, text: placed });
  return found === "" ? line : fill(t.answerErrorLine.found, { line, found });
}

/** One reason below a question, in a line. */
function needLineText({ code, args }: QuestionLine): string {
  const reason = args.reason === undefined ? "" : (sentence(t.checkFlaw, args.reason) ?? args.reason);
  const about = args.about?.trim() ? args.about : t.needs.completionCheck;
  const line = sentence(t.needLine, code);
  if (line !== undefined) return fill(line, { ...args, about, reason: fill(reason) });
  return fill(t.units.labelled, { name: about, value: fill(sentence(t.checkUnknown, code) ?? code) });
}

/** What is below a question: the lines that have words, or the text itself. */
export function belowQuestion(need: Need): string {
  if (need.wrong.length > 0) return need.wrong.map(answerErrorText).join("\n");
  return need.lines.length > 0 ? need.lines.map(needLineText).join("\n") : need.text;
}

/** What kind of need it is; what is also a status is called as that. */
export function needName(kind: NeedKind): string {
  return known(t.need, kind) ?? known(t.status, kind) ?? kind;
}

/** Questions that continue in the same way as another one. */
export const SAME_WAY_ON: Readonly<Record<string, keyof typeof t.needGoOn>> = {
  agent_fails: "answer_unreadable",
  confirm_assertion: "blocked",
  tests_cannot_run: "no_tests",
  tool_has_no_command: "tool_missing",
  tool_has_no_level: "tool_missing",
  tool_not_allowed: "tool_missing",
  verification_unknown: "blocked",
};

/** What continuing means for this question. */
export function goOnText(need: Need): string {
  const agent = arg(need, "instead") || agentOf(need);
  const question = arg(need, "question");
  const way = Object.hasOwn(SAME_WAY_ON, question) ? SAME_WAY_ON[question] : question;
  return fill(sentence(t.needGoOn, way ?? question) ?? t.needGoOn.answer_unreadable, { agent });
}

/** The button that lets the tasks of a loop use a tool. */
export function allowToolText(need: Need): string {
  const missing = arg(need, "question") === "tool_missing";
  return fill(missing ? t.needs.allowToolAndRetry : t.needs.allowTool, { tool: arg(need, "tool") });
}

/** The action that was under way, in words where there are any. */
function nameOfAction(action: string): string {
  return known(t.action, action) ?? action;
}

/** The actions that a need is about, by their names, with the task of a single one. */
export function actionOf(need: Need): string {
  const action = arg(need, "action").split(",").map(nameOfAction).join(t.units.listSeparator);
  const task = arg(need, "task");
  return task === "" ? action : fill(t.units.noted, { name: action, note: task });
}

/** What an interruption means, and what Resume does; `action` as it is shown. */
export function interruption(need: Need, action: string): string {
  return arg(need, "by") === "another" ? t.needs.takenOver : fill(t.needLeft[leftOf(need)], { action });
}
