import type { AgentRow, FormProblem, Level, NewFormat } from "../../host/bindings";
import { fill, language, say, t } from "../../words/language.svelte";
import { known } from "../../words/phrases";
import { fieldOf, isConfined, isWithin, MOST_MINUTES, mostIterations, type Plan } from "./form";

/** What a level means with this agent. */
export function levelText(agent: AgentRow, level: Level): string {
  const { custom } = agent;
  if (custom && level !== "full_access") {
    const args = custom[level] ?? [];
    return args.length === 0 ? t.start.ownLevelEmpty : say(t.start.ownLevel, { args: args.join(" ") });
  }
  return level === "edit_files" && isConfined(agent) ? t.start.confined : t.start.levelText[level];
}

/** “2.1.328 · signed in”, or what keeps it from being used. */
export function agentFacts(agent: AgentRow): string {
  const parts = [
    agent.version,
    agent.signed_in === true ? t.start.signedIn : agent.signed_in === false ? t.start.signedOut : null,
  ];
  return parts.filter(Boolean).join(" · ") || t.start.ready;
}

/** What is wrong with an agent; nothing when it can be used. */
export function agentTrouble(agent: AgentRow): string {
  if (agent.state === "missing" && agent.fix === null) {
    return say(t.start.agentMissing, { count: agent.looked.length });
  }
  if (agent.state !== "ready") return t.start.agentTrouble[agent.state];
  return agent.signed_in === false && agent.fix !== null ? t.start.signIn : "";
}

function argumentOf({ args, code }: FormProblem): string {
  const [first = ""] = (args.reason ?? "").split(", ");
  return first.startsWith(`${code} `) ? first.slice(code.length + 1) : first;
}

/** A problem as a sentence; codes that nobody knows are shown as they are. */
export function problemSentence(problem: FormProblem): string {
  const { code } = problem;
  const special = known(t.start.problemOf, `${fieldOf(problem)}_${code}`);
  const sentence = special ?? known(t.start.problem, code) ?? t.start.problem.strange;
  return fill(sentence, { ...problem.args, code, argument: problem.args.argument ?? argumentOf(problem) });
}

export function moneyText(usd: number): string {
  const digits = Number.isInteger(usd) ? 0 : 2;
  const format = { minimumFractionDigits: digits, maximumFractionDigits: 2 };
  return say(t.start.countMoney, { amount: new Intl.NumberFormat(language.id, format).format(usd) });
}

export function timeText(minutes: number): string {
  return minutes % 60 === 0
    ? say(t.start.countHours, { count: minutes / 60 })
    : say(t.start.countMinutes, { count: minutes });
}

/** “Stops after 10 iterations, 5 USD or 2 hours, whichever comes first.” */
export function limitSentence(
  iterations: number | null,
  format: NewFormat | null,
  plan: Pick<Plan, "minutes" | "money_usd">,
  counts: boolean,
): string {
  const most = format === null ? 10_000 : mostIterations(format);
  const slots = {
    iterations: isWithin(iterations, 1, most) ? say(t.start.countIterations, { count: iterations }) : "",
    money: counts && plan.money_usd !== null && plan.money_usd > 0 ? moneyText(plan.money_usd) : "",
    time: isWithin(plan.minutes, 1, MOST_MINUTES) ? timeText(plan.minutes) : "",
  };
  const { iterations: rounds, money, time } = slots;
  if (rounds) {
    if (money && time) return say(t.start.stopsAll, slots);
    if (money) return say(t.start.stopsMoney, slots);
    return time ? say(t.start.stopsTime, slots) : say(t.start.stops, slots);
  }
  if (money && time) return say(t.start.stopsMoneyTime, slots);
  if (money) return say(t.start.stopsMoneyOnly, slots);
  return time ? say(t.start.stopsTimeOnly, slots) : t.start.stopsNever;
}
