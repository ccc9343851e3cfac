import type {
  AgentRow,
  BaseCase,
  FormProblem,
  Level,
  NewFormat,
  Recipe,
  RunPlan,
  StartForm,
  TestProposal,
} from "../../host/bindings";

/** How a loop is run, with every field there: what a form edits. */
export type Plan = Required<RunPlan>;
export interface FullForm extends Omit<StartForm, "plan"> {
  plan: Plan;
}

export const PAGES = ["goal", "where", "how", "review"] as const;
export type PageName = (typeof PAGES)[number];
export const RECIPES: readonly Recipe[] = ["fix_bug", "build_feature", "checklist"];
export const FORMATS: readonly NewFormat[] = ["loop_v2", "loop_b", "aot"];
export const LEVELS: readonly Level[] = ["look_only", "edit_files", "full_access"];
/** As many as a form takes. */
export const MOST_TASKS = 20;
export const MOST_MINUTES = 60 * 24 * 30;
export const MOST_TOKENS = 4_000_000_000;
export const MOST_TURNS = 10_000;

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
    minutes: null,
    money_usd: null,
    tokens: null,
    turns: null,
    wait_for_limit: false,
    tasks: [],
    ...plan,
  };
}

export function fullForm(form: StartForm): FullForm {
  return { ...form, plan: fullPlan(form.plan) };
}

/** A new form. What was chosen for the last loop is proposed, except what belongs to its folder. */
export function beginForm(last: RunPlan, folder: string): FullForm {
  const { agent, model, level, shell_command, ask, clean } = fullPlan(last);
  return {
    work: {
      recipe: "fix_bug",
      format: null,
      mode: null,
      goal: "",
      title: "",
      max_iterations: 10,
      tasks: [],
      base_case: null,
    },
    folder,
    worktree: "",
    plan: { ...fullPlan(), agent, model, level, shell_command, ask, clean, minutes: 120, money_usd: 5 },
    page: 0,
  };
}

export function recipeFormat(recipe: Recipe): NewFormat {
  return recipe === "checklist" ? "aot" : "loop_v2";
}

export function formatOf(form: StartForm): NewFormat {
  return form.work.format ?? recipeFormat(form.work.recipe);
}

/** Most iterations that a format takes. */
export function mostIterations(format: NewFormat): number {
  return format === "aot" ? 10_000 : 100;
}

export function isWithin(value: number | null, least: number, most: number): value is number {
  return value !== null && Number.isInteger(value) && value >= least && value <= most;
}

const goodMinutes = (value: number | null): value is number => isWithin(value, 1, MOST_MINUTES);
const goodMoney = (value: number | null): value is number =>
  value !== null && Number.isFinite(value) && value > 0;

const goodTokens = (value: number | null): value is number => isWithin(value, 1, MOST_TOKENS);
const goodTurns = (value: number | null): value is number => isWithin(value, 1, MOST_TURNS);

/** What can be limited of an agent; of one that is not known yet, everything. */
export interface Counts {
  readonly money: boolean;
  readonly tokens: boolean;
  readonly turns: boolean;
}

export function countsOf(agent: AgentRow | undefined): Counts {
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
    minutes: goodMinutes(plan.minutes) ? plan.minutes : null,
    money_usd: counts.money && goodMoney(plan.money_usd) ? plan.money_usd : null,
    tokens: counts.tokens && goodTokens(plan.tokens) ? plan.tokens : null,
    turns: counts.turns && goodTurns(plan.turns) ? plan.turns : null,
  };
}

/** The level as far as the agent has it: what was chosen for another agent does not count. */
export function levelFor(plan: Plan, agent: AgentRow | undefined): Level | null {
  if (plan.agent === "shell" || plan.level === null) return null;
  return agent && !agent.levels.includes(plan.level) ? null : plan.level;
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
    ...limitsOf(plan, countsOf(agent)),
  };
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
      mode: format === "loop_b" ? work.mode : null,
      title: work.title.trim(),
      max_iterations: isWithin(work.max_iterations, 1, mostIterations(format)) ? work.max_iterations : null,
      tasks: work.tasks.map((task) => task.trim()).filter((task) => task !== ""),
      base_case,
    },
    worktree: form.worktree.trim(),
    plan: sentPlan(form.plan, agent),
  };
}

function mistake(field: string, code: string): FormProblem {
  return { field, code, args: {}, blocks: true };
}

const LIMITS = ["minutes", "money_usd", "tokens", "turns"] as const;

/** Mistakes in numbers of a plan: they are said here, because such a number cannot be sent. */
export function planProblems(plan: Plan, agent: AgentRow | undefined): FormProblem[] {
  const counts = countsOf(agent);
  const good = limitsOf(plan, counts);
  const asked = { minutes: true, money_usd: counts.money, tokens: counts.tokens, turns: counts.turns };
  return LIMITS.filter((limit) => asked[limit] && plan[limit] !== null && good[limit] === null).map((limit) =>
    mistake(limit, "out_of_range"),
  );
}

export function ownProblems(form: FullForm, agent: AgentRow | undefined): FormProblem[] {
  const format = formatOf(form);
  const limit = form.work.max_iterations;
  const wrong = limit !== null && !isWithin(limit, 1, mostIterations(format));
  return [
    ...(wrong ? [mistake("max_iterations", "out_of_range")] : []),
    ...(format === "aot" ? [] : planProblems(form.plan, agent)),
  ];
}

/** Which field a mistake in the command line comes from. */
const BY_CODE: Readonly<Record<string, string>> = {
  reserved_flag: "extra_args",
  bundled_flags: "extra_args",
  positional_argument: "extra_args",
  empty_placeholder: "extra_args",
  bad_character: "extra_args",
  bad_model: "model",
  level_not_defined: "level",
  cannot_ask: "ask",
  no_command: "shell_command",
};

const BY_PAGE: Readonly<Record<string, PageName>> = {
  goal: "goal",
  title: "goal",
  tasks: "goal",
  folder: "where",
  worktree: "where",
  max_iterations: "review",
  minutes: "review",
  money_usd: "review",
  tokens: "review",
  turns: "review",
};

/** Parts of a check are one field of the form. */
const OF_CHECKS = ["base_case", "checklist", "item", "value", "type", "criteria", "pass_threshold"];

/** The field of the form that a problem is about. */
export function fieldOf(problem: FormProblem): string {
  if (problem.field === "agent" && Object.hasOwn(BY_CODE, problem.code)) return BY_CODE[problem.code]!;
  return OF_CHECKS.includes(problem.field) ? "base_case" : problem.field;
}

/** The page that the field stands on. */
export function pageOf(problem: FormProblem): PageName {
  const field = fieldOf(problem);
  return Object.hasOwn(BY_PAGE, field) ? BY_PAGE[field]! : "how";
}

export function usable(agent: AgentRow): boolean {
  return agent.state === "ready" || agent.state === "newer";
}

/** The agent to propose when none was ever chosen: one that would start. */
export function likelyAgent(agents: readonly AgentRow[]): AgentRow | undefined {
  const real = agents.filter((agent) => agent.id !== "shell" && usable(agent));
  return real.find((agent) => agent.signed_in === true) ?? real.find((agent) => agent.signed_in === null);
}

/** Whether two agents of one name can be told apart by it: one that confines its commands. */
export function isConfined(agent: AgentRow): boolean {
  return agent.custom === null && agent.id !== "shell" && agent.runs_commands.includes("edit_files");
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

const PLAIN = /^[\w@%+=:,./-]+$/;

/** An argument as a shell would take it. */
export function quoted(argument: string): string {
  return PLAIN.test(argument) ? argument : `'${argument.replaceAll("'", "'\\''")}'`;
}

export function commandLine(argv: readonly string[]): string {
  return argv.map(quoted).join(" ");
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
