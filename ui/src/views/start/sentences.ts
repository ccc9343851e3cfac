import {
  START_FORM,
  type AgentRow,
  type FormProblem,
  type LaunchNote,
  type Level,
  type NewFormat,
  type RunPlace,
  type Target,
} from "../../host/bindings";
import { fill, language, say, sentences as inRow, t } from "../../words/language.svelte";
import { known } from "../../words/phrases";
import { machineText } from "../../words/team-phrases";
import { isConfined, isWithin, limitsOf, spotOf, topOf, type Counts, type Limits } from "./form";

/** What a level means with this agent. */
export function permissionLevelText(agent: AgentRow, level: Level): string {
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
  // Signing in comes before a word on its version: nothing works without it.
  if (agent.readiness === "signed_out" && agent.fix !== null) return t.start.signIn;
  return agent.state === "ready" ? "" : t.start.agentTrouble[agent.state];
}

function argumentOf({ args, code }: FormProblem): string {
  const [first = ""] = (args.reason ?? "").split(", ");
  return first.startsWith(`${code} `) ? first.slice(code.length + 1) : first;
}

/** A problem as a sentence; unknown codes are shown as they are. */
export function problemSentence(problem: FormProblem): string {
  const { code } = problem;
  const special = known(t.start.problemOf, `${topOf(problem.field)}_${code}`);
  const sentence = special ?? known(t.start.problem, code) ?? t.start.problem.strange;
  return fill(sentence, { ...problem.args, code, argument: problem.args.argument ?? argumentOf(problem) });
}

/** The same with the check or atom that it is about, for a list of problems. */
export function placedSentence(problem: FormProblem, ids: readonly (string | null)[]): string {
  const [spot, top] = [spotOf(problem.field), topOf(problem.field)];
  if (spot === "") return problemSentence(problem);
  const name =
    top === "atoms"
      ? say(t.start.atomOf, { id: ids[Number(spot) - 1] || spot })
      : say(t.start.checkOf, { place: spot });
  return say(t.units.labelled, { name, value: problemSentence(problem) });
}

/** On which machine a run that is to be sent runs. */
export function destinationText(target: Target): string {
  if (target.kind === "machine") return say(t.start.sentTo, { where: machineText(target.seat) });
  const memory = target.memory_gb;
  return memory === 0 ? t.start.sentAnywhere : say(t.start.sentAnywhereWith, { memory });
}

/** “Claude Code, Codex · 3 of 4 slots free · 64 GB”. */
export function placeText(place: RunPlace, nameOf: (agent: string) => string): string {
  const { agents, slots, busy, memory_gb, reachable } = place;
  const parts = [
    agents.length === 0 ? t.start.runNoAgent : agents.map(nameOf).join(t.units.listSeparator),
    reachable ? say(t.start.runSlots, { count: Math.max(0, slots - busy), slots }) : null,
    memory_gb === 0 ? null : say(t.units.gigabytes, { count: memory_gb }),
  ];
  return parts.filter(Boolean).join(" · ");
}

function moneyText(usd: number): string {
  const digits = Number.isInteger(usd) ? 0 : 2;
  const format = { minimumFractionDigits: digits, maximumFractionDigits: 2 };
  return say(t.start.countMoney, { amount: new Intl.NumberFormat(language.locale, format).format(usd) });
}

function timeText(minutes: number): string {
  return minutes % 60 === 0
    ? say(t.start.countHours, { count: minutes / 60 })
    : say(t.start.countMinutes, { count: minutes });
}

/** “Stops after 10 iterations, 5 USD or 2 hours, whichever comes first.” */
export function limitSentence(
  iterations: number | null,
  format: NewFormat | null,
  plan: Limits,
  counts: Counts,
): string {
  const bounds = format === null ? null : START_FORM.iterations[format];
  const { minutes, money_usd, tokens, turns } = limitsOf(plan, counts);
  const money = money_usd === null ? "" : moneyText(money_usd);
  const limits = [
    iterations !== null && (bounds === null || isWithin(iterations, bounds))
      ? say(t.start.countIterations, { count: iterations })
      : "",
    money,
    tokens === null ? "" : say(t.start.countTokens, { count: tokens }),
    minutes === null ? "" : timeText(minutes),
  ].filter((limit) => limit !== "");
  const sentences = [loopSentence(limits, money)];
  if (turns !== null) sentences.push(say(t.start.runEnds, { count: turns }));
  return inRow(...sentences);
}

function loopSentence(limits: readonly string[], money: string): string {
  if (limits.length === 0) return t.start.stopsNever;
  if (limits.length === 1) {
    return money === "" ? say(t.start.stops, { limits: limits[0]! }) : say(t.start.stopsMoneyOnly, { money });
  }
  const before = limits.slice(0, -1).join(t.units.listSeparator);
  return say(t.start.stopsFirst, { limits: say(t.start.limitsOr, { before, last: limits.at(-1)! }) });
}

/** What the level cards say too: left out where they are on the screen. */
const OF_LEVELS: readonly LaunchNote[] = ["not_confined", "no_commands", "commands_confined", "runs_as_you"];
/** What a person has to weigh, most of all first; the rest is only good to know. */
const WEIGHTY: readonly LaunchNote[] = [
  "not_confined",
  "runs_as_you",
  "writes_anywhere",
  "plan_files",
  "no_commands",
  "root_tool_list",
  "clean_not_possible",
  "turns_by_app",
  "money_by_app",
];

interface Noted {
  readonly note: LaunchNote;
  readonly text: string;
  readonly weighty: boolean;
}

/** What to know of an agent before it starts, in sentences; what has to be weighed first. */
export function launchNotes(notes: readonly LaunchNote[], besideLevels: boolean): Noted[] {
  const rank = (note: LaunchNote) => {
    const at = WEIGHTY.indexOf(note);
    return at < 0 ? WEIGHTY.length : at;
  };
  return [...new Set(notes)]
    .filter((note) => !besideLevels || !OF_LEVELS.includes(note))
    .sort((one, other) => rank(one) - rank(other))
    .map((note) => ({
      note,
      text: known(t.launchNote, note) ?? note,
      weighty: WEIGHTY.includes(note),
    }));
}
