import {
  START_FORM,
  type AgentRow,
  type BaseCase,
  type CheckItem,
  type FormProblem,
  type Level,
  type RunPlace,
  type RunPlaces,
  type StartForm,
  type Target,
} from "../../host/bindings";
import { sameSeat, type RunOn } from "../../state/run-on.svelte";
import { t } from "../../words/language.svelte";
import { machineText } from "../../words/team-phrases";
import { fullPlan } from "./form";

/*
 * A loop that is to run on another machine: what its owner allows, and what of the form does not fit that. The machine itself
 * decides; this says it before anything is sent.
 */

/** The machines that offer a repository, each once, with what all its clones of it offer together. */
export function machinesOf(places: RunPlaces | null): RunPlace[] {
  const found: RunPlace[] = [];
  for (const place of places?.machines ?? []) {
    const at = found.findIndex(({ seat }) => sameSeat(seat, place.seat));
    const known = found[at];
    if (!known) found.push(place);
    else found[at] = { ...known, agents: [...new Set([...known.agents, ...place.agents])] };
  }
  return found;
}

/** What the machines of a target offer together. */
export interface Offered {
  /** Ids of agents. */
  readonly agents: readonly string[];
  /** The most that the chosen agent may do there. */
  readonly most: Level | null;
  /** Shell lines that may be run there for tests and checks. */
  readonly commands: readonly string[];
}

/** The places that a target means; one machine can offer a repository twice. */
function placesOf(target: Target, { machines }: RunPlaces): RunPlace[] {
  if (target.kind === "machine") return machines.filter(({ seat }) => sameSeat(seat, target.seat));
  return machines.filter(({ memory_gb }) => memory_gb >= target.memory_gb);
}

function mostOf(places: readonly RunPlace[]): Level | null {
  const ranks = places.map(({ level }) => START_FORM.levels.indexOf(level));
  return START_FORM.levels[Math.max(-1, ...ranks)] ?? null;
}

export function offeredBy(target: Target, places: RunPlaces, agent: string): Offered {
  const all = placesOf(target, places);
  const having = all.filter(({ agents }) => agents.includes(agent));
  const able = having.length > 0 ? having : all;
  return {
    agents: [...new Set(all.flatMap(({ agents }) => agents))],
    most: mostOf(able),
    commands: [...new Set(able.flatMap(({ commands }) => commands))],
  };
}

/** Agents as they are offered on another machine, where it does not matter whether they are on this one; and those that are chosen. */
export function agentsThere(
  rows: readonly AgentRow[],
  { agents }: Offered,
  chosen: readonly string[],
): readonly AgentRow[] {
  const there = rows.filter(({ id }) => agents.includes(id) || chosen.includes(id));
  return there.map((row) =>
    agents.includes(row.id)
      ? { ...row, state: "ready", readiness: "usable", version: null, signed_in: null, fix: null }
      : row,
  );
}

/** The shell lines of a completion check. */
function shellLines(base: BaseCase | null): string[] {
  const ofItem = ({ part }: CheckItem): string[] => {
    if (part.part === "check") return ofCheck(part.of);
    return part.part === "quality" ? [] : part.of.flatMap(ofItem);
  };
  const ofCheck = ({ kind, value }: { kind: string; value: string }) =>
    (kind === "command" || kind === "not_command") && value.trim() !== "" ? [value] : [];
  if (base === null || base.shape === "quality") return [];
  return base.shape === "single" ? ofCheck(base.of) : base.of.flatMap(ofItem);
}

/** Problems that only hold for a run on this computer. */
const OF_THIS_COMPUTER: readonly (readonly [field: string, code?: string])[] = [
  ["worktree"],
  ["replace"],
  ["driver"],
  ["skill_command"],
  ["shell_command"],
  ["extra_args"],
  ["clean"],
  ["agent", "not_found"],
  ["agent", "unknown_agent"],
  ["further", "further_not_found"],
  ["level", "worktree_suggested"],
  ["test_command", "blank"],
];

export function holdsElsewhere({ field, code }: FormProblem): boolean {
  return !OF_THIS_COMPUTER.some(([of, only]) => of === field && (only === undefined || only === code));
}

function problem(field: string, code: string, args: Record<string, string> = {}, blocks = true): FormProblem {
  return { field, code, args, blocks };
}

/** What cannot be sent to any machine, whatever it offers. */
function staysHere(form: StartForm): FormProblem[] {
  const { agent, driver, extra_args, shell_command } = fullPlan(form.plan);
  return [
    ...(agent === START_FORM.shell || (agent === "" && shell_command !== "")
      ? [problem("agent", "needs_agent")]
      : []),
    ...(driver.by === "loopdeck" ? [] : [problem("driver", "loopdeck_only")]),
    ...(extra_args.length === 0 ? [] : [problem("extra_args", "args_stay_here")]),
  ];
}

/** Everything about a run on another machine that is wrong, or worth knowing. `nameOf`: an agent's name by its id. */
export function awayProblems(
  form: StartForm,
  { target, places, memoryIsValid }: Pick<RunOn, "target" | "places" | "memoryIsValid">,
  nameOf: (agent: string) => string,
): FormProblem[] {
  if (target === null) return [];
  if (!memoryIsValid) return [problem("run_on", "bad_memory"), ...staysHere(form)];
  if (places === null) return [problem("run_on", "places_unknown")];
  if (!places.is_repository) return [problem("run_on", "no_repository")];
  const there = placesOf(target, places);
  if (there.length === 0) return [nowhere(target, places), ...staysHere(form)];
  const { found, left } = narrowed(form, target, there, nameOf);
  return [...staysHere(form), ...found, ...advice(form, target, left)];
}

function nowhere(target: Target, { machines }: RunPlaces): FormProblem {
  if (target.kind === "machine")
    return problem("run_on", "not_offered_by", { where: machineText(target.seat) });
  if (machines.length === 0) return problem("run_on", "no_machine");
  const most = Math.max(...machines.map(({ memory_gb }) => memory_gb));
  return problem("run_on", "too_little_memory", { most: String(most) });
}

/**
 * Asks one thing after the other of the machines that are left. What none of them fulfils is a mistake, and does not count for
 * the rest: all mistakes are said together.
 */
function narrowed(
  form: StartForm,
  target: Target,
  there: RunPlace[],
  nameOf: (agent: string) => string,
): { found: FormProblem[]; left: RunPlace[] } {
  const plan = fullPlan(form.plan);
  const where = whereOf(target);
  const found: FormProblem[] = [];
  let left = there;
  const ask = (
    holds: (place: RunPlace) => boolean,
    [field, code]: readonly [string, string],
    args: Record<string, string> = {},
  ) => {
    const able = left.filter(holds);
    if (able.length > 0) left = able;
    else found.push(problem(field, code, { where, ...args }));
  };
  const has = (agent: string) => (place: RunPlace) => place.agents.includes(agent);
  const allows = (level: Level) => (place: RunPlace) =>
    START_FORM.levels.indexOf(level) <= START_FORM.levels.indexOf(place.level);
  if (plan.agent !== "" && plan.agent !== START_FORM.shell)
    ask(has(plan.agent), ["agent", "not_offered"], { agent: nameOf(plan.agent) });
  for (const { agent } of plan.further) ask(has(agent), ["further", "not_offered"], { agent: nameOf(agent) });
  const most = mostOf(left);
  const levels = [plan.level, ...plan.further.map(({ level }) => level)];
  const highest = START_FORM.levels.findLast((level) => levels.includes(level));
  if (highest !== undefined && most !== null)
    ask(allows(highest), ["level", "above_offer"], { level: t.start.levels[most] });
  if (plan.test_command.trim() !== "")
    ask(({ commands }) => commands.includes(plan.test_command), ["test_command", "command_not_allowed"]);
  for (const command of shellLines(form.work.base_case))
    ask(({ commands }) => commands.includes(command), ["base_case", "check_not_allowed"], { command });
  return { found, left };
}

/** The machine's name; nothing for any machine of the team. */
function whereOf(target: Target): string {
  return target.kind === "any" ? "" : machineText(target.seat);
}

/** What to know before it is sent. */
function advice(form: StartForm, target: Target, left: readonly RunPlace[]): FormProblem[] {
  const { ask, test_command } = fullPlan(form.plan);
  const told = (field: string, code: string, args = {}) => problem(field, code, args, false);
  const reachable = left.filter((place) => place.reachable);
  const free = reachable.filter(({ slots, busy }) => busy < slots);
  const args = { where: whereOf(target) };
  return [
    ...(reachable.length === 0 ? [told("run_on", "not_reachable", args)] : []),
    ...(reachable.length > 0 && free.length === 0 ? [told("run_on", "busy", args)] : []),
    ...(ask ? [told("ask", "asks_there")] : []),
    ...(form.work.base_case === null && test_command.trim() === ""
      ? [told("test_command", "no_tests_there")]
      : []),
  ];
}
