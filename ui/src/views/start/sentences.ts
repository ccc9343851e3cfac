import type { AgentRow, FormProblem, LaunchNote, Level, RunPlace, Target } from "../../host/bindings";
import { fill, say, t } from "../../words/language.svelte";
import { fieldName, known } from "../../words/phrases";
import { machineText } from "../../words/team-phrases";
import { isConfined, spotOf, topOf } from "./form";

/** What a level means with this agent. */
export function permissionLevelText(agent: AgentRow, level: Level): string {
  const { custom } = agent;
  if (custom && level !== "full_access") {
    const args = custom[level] ?? [];
    return say(t.start.ownLevel, { args: args.join(" ") || t.common.none });
  }
  return level === "edit_files" && isConfined(agent) ? t.start.confined : t.start.levelText[level];
}

/** “2.1.328 · signed in”, or what keeps it from being used. */
export function agentFacts(agent: AgentRow): string {
  const parts = [
    agent.version,
    agent.signed_in === true ? t.agents.signedIn : agent.signed_in === false ? t.agents.signedOut : null,
  ];
  return parts.filter(Boolean).join(" · ") || t.agentState.ready;
}

/** What is wrong with an agent; nothing when it can be used. */
export function agentTrouble(agent: AgentRow): string {
  // Signing in comes before a word on its version: nothing works without it.
  if (agent.readiness === "signed_out" && agent.fix !== null) return t.start.signIn;
  return agent.state === "ready" ? "" : t.agentState[agent.state];
}

function argumentOf({ args, code }: FormProblem): string {
  const [first = ""] = (args.reason ?? "").split(", ");
  return first.startsWith(`${code} `) ? first.slice(code.length + 1) : first;
}

/** A problem as a sentence; unknown codes are shown as they are. */
export function problemSentence(problem: FormProblem): string {
  const { code, args } = problem;
  const special = known(t.start.problemOf, `${topOf(problem.field)}_${code}`);
  const general = known(t.start.problem, args.limit ? `${code}_of` : code) ?? known(t.start.problem, code);
  const sentence = special ?? general ?? t.start.problem.strange;
  const argument = args.argument ?? argumentOf(problem);
  return fill(sentence, { ...args, where: args.where || t.start.anywhere, code, argument });
}

/** What a sentence of its own says of every field alike. */
const OF_ANY_FIELD: readonly string[] = ["blank", "too_long", "out_of_range", "not_found"];

/** The same with the field, check or atom that it is about, for a list of problems. */
export function placedSentence(problem: FormProblem, ids: readonly (string | null)[]): string {
  const { code, field } = problem;
  const [spot, top] = [spotOf(field), topOf(field)];
  const value = problemSentence(problem);
  if (spot === "") {
    const own = known(t.start.problemOf, `${top}_${code}`) ?? null;
    const name = own === null && OF_ANY_FIELD.includes(code) ? fieldName(top) : null;
    return name ? say(t.units.labelled, { name: fill(name, {}), value }) : value;
  }
  const name =
    top === "atoms"
      ? say(t.changed.atom, { id: ids[Number(spot) - 1] || spot })
      : say(t.start.checkOf, { place: spot });
  return say(t.units.labelled, { name, value });
}

/** On which machine a run that is to be sent runs: “tower of ada”, “Any machine with the agent · 32 GB”. */
export function destinationText(target: Target): string {
  if (target.kind === "machine") return machineText(target.seat);
  const memory = target.memory_gb;
  return memory === 0 ? t.start.runAny : `${t.start.runAny} · ${memory} GB`;
}

/** “Claude Code, Codex · 3 of 4 slots free · 64 GB”. */
export function placeText(place: RunPlace, nameOf: (agent: string) => string): string {
  const { agents, slots, busy, memory_gb, reachable } = place;
  const parts = [
    agents.length === 0 ? t.start.runNoAgent : agents.map(nameOf).join(t.units.listSeparator),
    reachable ? say(t.start.runSlots, { count: Math.max(0, slots - busy), slots }) : null,
    memory_gb === 0 ? null : `${memory_gb} GB`,
  ];
  return parts.filter(Boolean).join(" · ");
}

/** What the permissions say already, or what changes nothing for the person. */
export const UNSAID: readonly LaunchNote[] = [
  "not_confined",
  "no_commands",
  "commands_confined",
  "runs_as_you",
  "session_by_agent",
  "session_stored",
  "denials_not_reported",
  "asks_first",
  "schema_by_prompt",
];
/** What no form can ask for: these are said as codes. */
export const NEVER_ASKED: readonly string[] = [
  "bad_folder",
  "bad_limit",
  "bad_schema",
  "bad_session",
  "cannot_resume",
  "file_missing",
  "no_prompt",
];
/** What a person has to weigh, most of all first; the rest is only good to know. */
const WEIGHTY: readonly LaunchNote[] = [
  "writes_anywhere",
  "plan_files",
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
export function launchNotes(notes: readonly LaunchNote[]): Noted[] {
  const rank = (note: LaunchNote) => {
    const at = WEIGHTY.indexOf(note);
    return at < 0 ? WEIGHTY.length : at;
  };
  return [...new Set(notes)]
    .filter((note) => !UNSAID.includes(note))
    .sort((one, other) => rank(one) - rank(other))
    .map((note) => ({
      note,
      text: known(t.launchNote, note) ?? note,
      weighty: WEIGHTY.includes(note),
    }));
}
