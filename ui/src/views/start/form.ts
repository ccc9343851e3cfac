import {
  FORMAT_TRAITS,
  START_FORM,
  type AgentRow,
  type BaseCase,
  type Format,
  type FormProblem,
  type FurtherAgent,
  type Level,
  type NewFormat,
  type NewTask,
  type Recipe,
  type RunPlan,
  type StartForm,
  type TestProposal,
  type WorkMode,
} from "../../host/bindings";
import { aotProblems, fullAot, sentAot, withIds, type AotForm } from "./aot";

/** How a loop is run, with every field there: what a form edits. */
export type Plan = Required<RunPlan>;
export interface FullForm extends Omit<StartForm, "plan" | "work" | "replace"> {
  work: StartForm["work"] & { aot: AotForm };
  plan: Plan;
  replace: boolean;
}

const ALL_PAGES = ["work", "checks", "atoms", "run"] as const;
export type PageName = (typeof ALL_PAGES)[number];
const PLAIN_PAGES = ALL_PAGES.filter((page) => page !== "checks" && page !== "atoms");

/** The pages of the form. Those that a format has for itself come behind the page on which its kind of work is chosen. */
export function pagesOf(format: NewFormat): readonly PageName[] {
  return FORMAT_TRAITS[format].has_atoms ? ALL_PAGES : PLAIN_PAGES;
}

export const placeOf = (page: PageName): number => ALL_PAGES.indexOf(page);
export const RECIPES: readonly Recipe[] = ["fix_bug", "build_feature", "checklist"];

/** A plan with what is missing filled in; nothing is chosen for the person. */
export function fullPlan(plan: RunPlan = {}): Plan {
  return {
    agent: "",
    model: "",
    extra_args: [],
    shell_command: "",
    level: null,
    ask: false,
    clean: false,
    driver: { by: "loopdeck" },
    test_command: "",
    results: [],
    checks: [],
    minutes: null,
    money_usd: null,
    tokens: null,
    turns: null,
    wait_for_limit: false,
    keep_going: false,
    keep_evidence: false,
    worktrees: false,
    probes: "never",
    check_seconds: null,
    recipe: null,
    tasks: [],
    mode: "auto",
    further: [],
    ...plan,
  };
}

/** A task that is named without its own choice. */
export function newTask(description = ""): NewTask {
  return { description, tool: "", mode: "" };
}

export function fullForm(form: StartForm): FullForm {
  const aot = fullAot(form.work.aot);
  const work = { ...form.work, aot: { ...aot, atoms: withIds(aot.atoms) } };
  return { ...form, work, plan: fullPlan(form.plan), replace: form.replace ?? false };
}

/** A new form. What was chosen for the last loop is proposed, except what belongs to its folder. */
export function beginForm(last: RunPlan, folder: string): FullForm {
  const { agent, model, level, shell_command, ask, clean, recipe } = fullPlan(last);
  const { max_iterations, minutes, money_usd } = START_FORM.begun;
  return {
    work: {
      recipe: recipe ?? START_FORM.begun.recipe,
      format: null,
      mode: null,
      goal: "",
      title: "",
      max_iterations,
      tasks: [],
      base_case: null,
      follow_up: null,
      aot: fullAot(),
    },
    folder,
    worktree: "",
    plan: { ...fullPlan(), agent, model, level, shell_command, ask, clean, minutes, money_usd },
    page: 0,
    replace: false,
  };
}

export function recipeFormat(recipe: Recipe): NewFormat {
  return START_FORM.format_of[recipe];
}

export function formatOf(form: StartForm): NewFormat {
  return form.work.format ?? recipeFormat(form.work.recipe);
}

/** The whole numbers that a field takes. */
interface Bounds {
  readonly least: number;
  readonly most: number;
}

export function isWithin(value: number | null, { least, most }: Bounds): value is number {
  return value !== null && Number.isInteger(value) && value >= least && value <= most;
}

const goodMoney = (value: number | null): value is number =>
  value !== null && Number.isFinite(value) && value > START_FORM.money_above;

/** What can be limited of an agent; of one that is not known yet, everything. */
export interface Counts {
  readonly money: boolean;
  readonly tokens: boolean;
  readonly turns: boolean;
}

export function formCounts(agent: AgentRow | undefined): Counts {
  return {
    money: agent?.reports_cost ?? true,
    tokens: agent?.reports_tokens ?? true,
    turns: agent?.limits_turns ?? true,
  };
}

/** Limits of a plan that hold with its agent. */
export type Limits = Pick<Plan, "minutes" | "money_usd" | "tokens" | "turns">;

export function limitsOf(plan: Limits, counts: Counts): Limits {
  return {
    minutes: isWithin(plan.minutes, START_FORM.minutes) ? plan.minutes : null,
    money_usd: counts.money && goodMoney(plan.money_usd) ? plan.money_usd : null,
    tokens: counts.tokens && isWithin(plan.tokens, START_FORM.tokens) ? plan.tokens : null,
    turns: counts.turns && isWithin(plan.turns, START_FORM.turns) ? plan.turns : null,
  };
}

/** The level as far as the agent has it: what was chosen for another agent does not count. */
export function levelFor(plan: Plan, agent: AgentRow | undefined): Level | null {
  if (plan.agent === START_FORM.shell || plan.level === null) return null;
  return agent && !agent.levels.includes(plan.level) ? null : plan.level;
}

/** Levels that a further agent can have: those that it has, and none above the plan's. */
export function levelsWithin(agent: AgentRow, most: Level | null): Level[] {
  const { levels } = START_FORM;
  const top = most === null ? levels.length - 1 : levels.indexOf(most);
  return agent.kind === "shell" ? [] : levels.filter((one, at) => at <= top && agent.levels.includes(one));
}

/** The level of a further agent as it holds: what was chosen above the plan's is the plan's. */
export function furtherLevel(one: FurtherAgent, agent: AgentRow, most: Level | null): Level | null {
  const possible = levelsWithin(agent, most);
  return one.level !== null && possible.includes(one.level) ? one.level : (possible.at(-1) ?? null);
}

/** Agents that tasks may use in addition to the plan's own. */
export function furtherOf(plan: Plan, agents: readonly AgentRow[]): AgentRow[] {
  return agents.filter(({ id, readiness }) => {
    const chosen = plan.further.some((one) => one.agent === id);
    return id !== plan.agent && (chosen || readiness !== "unusable");
  });
}

/** The plan as it is asked for: only what this agent can do. */
export function sentPlan(plan: Plan, agent: AgentRow | undefined): Plan {
  return {
    ...plan,
    level: levelFor(plan, agent),
    ask: plan.ask && (agent?.asks ?? true),
    extra_args: plan.extra_args.filter((argument) => argument.trim() !== ""),
    results: plan.results.map((one) => one.trim()).filter((one) => one !== ""),
    test_command: plan.test_command.trim(),
    further: plan.further.filter((one) => one.agent !== plan.agent),
    check_seconds: isWithin(plan.check_seconds, START_FORM.check_seconds) ? plan.check_seconds : null,
    ...limitsOf(plan, formCounts(agent)),
  };
}

/** The ways in which a loop of this format can go through its actions; none where there is nothing to choose. */
export function modesOf(format: NewFormat, driver: Plan["driver"]["by"]): readonly WorkMode[] {
  return driver === "own_tool" ? [] : START_FORM.modes[format][driver];
}

/** Whether a skill or a plugin can run its loops; all others Loopdeck runs itself. */
export function hasOwnRunner(format: Format): boolean {
  return FORMAT_TRAITS[format].skill !== null || FORMAT_TRAITS[format].has_plugin;
}

/** The form as it is asked for. Numbers that cannot be sent are mistakes of their own: see `ownProblems`. */
export function sentForm(form: FullForm, agent: AgentRow | undefined, base_case: BaseCase | null): StartForm {
  const format = formatOf(form);
  const { work } = form;
  return {
    ...form,
    work: {
      ...work,
      format: work.format === recipeFormat(work.recipe) ? null : work.format,
      mode: modesOf(format, form.plan.driver.by).find((mode) => mode === work.mode) ?? null,
      title: work.title.trim(),
      max_iterations: isWithin(work.max_iterations, START_FORM.iterations[format])
        ? work.max_iterations
        : null,
      // Where atoms are named, they are the work.
      tasks:
        FORMAT_TRAITS[format].has_atoms && work.aot.atoms.length > 0
          ? []
          : work.tasks
              .map((task) => ({ ...task, description: task.description.trim() }))
              .filter((task) => task.description !== ""),
      base_case: FORMAT_TRAITS[format].has_atoms ? base_case : null,
      aot: FORMAT_TRAITS[format].has_atoms ? sentAot(work.aot) : {},
    },
    worktree: form.worktree.trim(),
    plan: sentPlan(form.plan, agent),
  };
}

function mistake(field: string, code: string): FormProblem {
  return { field, code, args: {}, blocks: true };
}

const LIMITS = ["minutes", "money_usd", "tokens", "turns"] as const;

/** Mistakes in numbers of a plan: they are shown here, because such a number cannot be sent. */
export function planProblems(plan: Plan, agent: AgentRow | undefined): FormProblem[] {
  const counts = formCounts(agent);
  const good = limitsOf(plan, counts);
  const asked = { minutes: true, money_usd: counts.money, tokens: counts.tokens, turns: counts.turns };
  const beyond: string[] = LIMITS.filter(
    (limit) => asked[limit] && plan[limit] !== null && good[limit] === null,
  );
  if (plan.check_seconds !== null && !isWithin(plan.check_seconds, START_FORM.check_seconds)) {
    beyond.push("check_seconds");
  }
  return beyond.map((limit) => mistake(limit, "out_of_range"));
}

export function ownProblems(form: FullForm, agent: AgentRow | undefined): FormProblem[] {
  const format = formatOf(form);
  const limit = form.work.max_iterations;
  const wrong = limit !== null && !isWithin(limit, START_FORM.iterations[format]);
  return [
    ...(wrong ? [mistake("max_iterations", "out_of_range")] : []),
    ...(FORMAT_TRAITS[format].has_atoms ? aotProblems(form.work.aot) : []),
    ...planProblems(form.plan, agent),
  ];
}

const BY_PAGE: Readonly<Record<string, PageName>> = {
  recipe: "work",
  folder: "work",
  run_on: "work",
  goal: "work",
  plan: "work",
  title: "work",
  tasks: "work",
  background_intent: "work",
  deliverables: "work",
  definition_of_done: "work",
  in_scope: "work",
  out_of_scope: "work",
  base_case: "checks",
  atoms: "atoms",
  max_parallel_agents: "atoms",
  max_stall_count: "atoms",
};

/** `base_case` of `base_case.0.2`. */
export function topOf(field: string): string {
  return field.split(".", 1)[0] ?? field;
}

/** Which one of a list it is about, counted from 1: `1.3` of `base_case.0.2`; nothing for a whole field. */
export function spotOf(field: string): string {
  const places = field.split(".").slice(1);
  return places.map((place) => Number(place) + 1).join(".");
}

/** The page that contains the field. */
export function pageOf(problem: Pick<FormProblem, "field">, format?: NewFormat): PageName {
  const top = topOf(problem.field);
  if (top === "max_iterations" && format && FORMAT_TRAITS[format].has_atoms) return "atoms";
  return Object.hasOwn(BY_PAGE, top) ? BY_PAGE[top]! : "run";
}

/** The agent to propose when none was ever chosen: one that would start. */
export function likelyAgent(agents: readonly AgentRow[]): AgentRow | undefined {
  const real = agents.filter((agent) => agent.kind !== "shell" && agent.readiness === "usable");
  return real.find((agent) => agent.signed_in === true) ?? real.find((agent) => agent.signed_in === null);
}

/** Whether two agents of one name can be distinguished by it: one that confines its commands. */
export function isConfined(agent: AgentRow): boolean {
  return agent.kind === "built_in" && agent.runs_commands.includes("edit_files");
}

/** A name for a branch from the first words of the work; `ending` keeps loops of one goal apart. */
export function branchName(work: { readonly title: string; readonly goal: string }, ending: string): string {
  const words = `${work.title.trim() || work.goal}`
    .split("\n", 1)[0]!
    .normalize("NFKC")
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu);
  const slug = [...(words ?? []).slice(0, 5).join("-")].slice(0, 40).join("").replace(/-+$/, "");
  return `loopdeck/${[slug, ending].filter((part) => part !== "").join("-")}`;
}

/** Which of the ways to run the tests is chosen. */
export function testChoice(
  plan: Pick<Plan, "test_command">,
  proposals: readonly TestProposal[],
  other: boolean,
): string {
  if (other) return "other";
  const at = proposals.findIndex((one) => one.command === plan.test_command);
  if (at >= 0) return String(at);
  return plan.test_command.trim() === "" ? "none" : "other";
}
