import type { Need } from "../host/bindings";
import { fill, t } from "./language.svelte";
import type { Message } from "./message";
import { failureText } from "./phrases";

/** Failures whose one value is the path they are about; all others say a reason. */
const ABOUT_A_PATH = ["not_a_folder", "in_wsl", "contended", "changed_since", "untrusted", "exists"];

export function sentence(section: object, key: string): Message | undefined {
  return Object.hasOwn(section, key) ? (section as Record<string, Message>)[key] : undefined;
}

export function agentOf(need: Need): string {
  return need.agent.trim() === "" ? t.needs.theAgent : need.agent;
}

export function arg(need: Need, name: string): string {
  return Object.hasOwn(need.args, name) ? (need.args[name] ?? "") : "";
}

/** Numbers travel as text. */
function countOf(need: Need): number {
  const count = Number(arg(need, "count"));
  return Number.isSafeInteger(count) && count >= 0 ? count : 0;
}

/** Loopdeck waits on its own: dismissing would mean nothing. */
export function waitsByItself(need: Need): boolean {
  return need.kind === "usage_limit" && need.answers.includes("stop");
}

export function isFailureKind(code: string): code is keyof typeof t.failure {
  return Object.hasOwn(t.failure, code);
}

function failed(need: Need, agent: string): string {
  const code = arg(need, "code");
  const known = sentence(t.needFailed, code);
  if (known !== undefined) return fill(known, { agent, command: arg(need, "command") });
  if (!isFailureKind(code)) return t.needFailed.otherwise;
  const { text } = need;
  const path = ABOUT_A_PATH.includes(code) ? text : need.folder;
  const refused = Object.hasOwn(t.refusal, text) ? (text as keyof typeof t.refusal) : null;
  return failureText({
    kind: code,
    args: { path, reason: text, agent, field: text, what: text },
    refusal: refused && { code: refused, args: {}, status: null },
  });
}

function question(need: Need, agent: string): string {
  const asked = sentence(t.needQuestion, arg(need, "question")) ?? t.needSays.question;
  return fill(asked, { agent, about: arg(need, "about"), count: countOf(need), tool: arg(need, "tool") });
}

/** What waits, in one sentence. */
export function headline(need: Need): string {
  const agent = agentOf(need);
  switch (need.kind) {
    case "permission":
      return fill(t.needSays.permission, { agent, tool: need.tool ?? "?" });
    case "question":
      return question(need, agent);
    case "limit_reached":
      return fill(sentence(t.needLimit, arg(need, "limit")) ?? t.needLimit.otherwise);
    case "usage_limit":
      return fill(waitsByItself(need) ? t.needSays.usage_limit_waiting : t.needSays.usage_limit, { agent });
    case "failed":
      return failed(need, agent);
    case "left_over":
      return need.processes.length === 0
        ? t.needSays.left_unknown
        : fill(t.needSays.left_over, { count: need.processes.length });
    case "interrupted":
      return ["finished", "recorded", "between"].includes(leftOf(need))
        ? t.needSays.interrupted_waits
        : t.needSays.interrupted;
    default:
      return fill(t.needSays[need.kind], { agent });
  }
}

type Left = keyof typeof t.needLeft;

/** How an interrupted loop was left. What an older Loopdeck noted does not say it. */
export function leftOf(need: Need): Left {
  const left = arg(need, "left");
  return Object.hasOwn(t.needLeft, left) ? (left as Left) : "cut_off";
}
