import {
  FORMAT_TRAITS,
  type Failure,
  type Format,
  type FormProblem,
  type LoopRow,
  type StartReview,
} from "../../host/bindings";
import { asFailure } from "../../host/failure";
import type { Host } from "../../host/host";
import { mostIterations } from "../../state/launching";
import { canLift } from "../../state/menu-items";
import type { LaunchPlace } from "../../state/place";
import type { TrustState } from "../../state/trust.svelte";
import { fullForm, isWithin, pageOf, planProblems, sentPlan, type PageName, type Plan } from "./form";
import { RunState } from "./run.svelte";

const STEP = 5;
/** What is chosen once, when a loop is created. */
const OF_NEW_LOOPS: readonly string[] = ["worktree", "replace", "format", "mode", "max_iterations"];

/** The form of a loop that exists: how its agent is run from now on. */
export class LaunchState extends RunState {
  readonly key: string;
  readonly format: Format;
  readonly pages: readonly PageName[] = ["run"];
  readonly away = false;
  readonly offered = null;
  readonly awayProblems: readonly FormProblem[] = [];
  /** Its limit of iterations is reached, and raised with the start. */
  readonly lifts: boolean;
  readonly used: number;
  readonly least: number;
  readonly most: number;
  limit: number | null = $state(null);

  constructor(host: Host, trust: TrustState, { key, control, reason, raise }: LaunchPlace, row: LoopRow) {
    super(host, trust);
    this.key = key;
    this.format = row.format;
    this.most = mostIterations(row.format);
    this.used = row.iteration?.current ?? 0;
    this.least = Math.min(this.most, Math.floor(this.used) + 1);
    this.lifts = canLift(control);
    this.limit = raise ?? Math.min(this.most, Math.floor(row.iteration?.limit ?? 0) + STEP);
    // That nothing was chosen yet is no failure: the form asks for it.
    this.failure = reason?.kind === "no_plan" ? null : reason;
  }

  readonly untrusted: boolean = $derived(this.facts !== null && this.facts.exists && !this.facts.trusted);
  readonly wrongLimit: boolean = $derived.by(() => this.lifts && !isWithin(this.limit, this));
  readonly sent: Plan = $derived(sentPlan($state.snapshot(this.form.plan), this.agent));
  readonly problems: readonly FormProblem[] = $derived([
    ...(this.review?.problems ?? []).filter((problem) => this.#isOfRun(problem)),
    ...planProblems(this.form.plan, this.agent),
    ...(this.wrongLimit ? [WRONG_LIMIT] : []),
  ]);

  /** Fills the form in with how the loop was run before, or else the loop that was started last. */
  async open(): Promise<void> {
    const { runs } = this.host;
    const finding = this.lookForAgents(false);
    this.failedRead = null;
    try {
      const [form, plan] = await Promise.all([runs.formOf(this.key), runs.planOf(this.key)]);
      this.form = fullForm({ ...form, plan, page: 0 });
      this.testsAreChosen = !FORMAT_TRAITS[this.format].runs_tests || this.form.plan.test_command !== "";
      await Promise.all([this.lookAtFolder(), finding]);
      this.proposeAgent();
    } catch (reason) {
      this.failedRead = { failure: asFailure(reason), read: () => this.open() };
    }
    this.begun = true;
    this.changedNow();
  }

  #isOfRun(problem: FormProblem): boolean {
    const { field, code } = problem;
    if (code === "not_trusted") return this.untrusted;
    return pageOf(problem) === "run" && !OF_NEW_LOOPS.includes(field) && code !== "worktree_suggested";
  }

  pageOf(): PageName {
    return "run";
  }

  protected readReview(sent: string): Promise<StartReview> {
    return this.host.runs.reviewLaunch(this.key, JSON.parse(sent) as Plan);
  }

  /** Starts the agent through `launch`, once everything is right. Answers whether it was started. */
  async start(launch: (plan: Plan, raise: number | null) => Promise<Failure | null>): Promise<boolean> {
    const started = await this.startBy(async () => {
      const failure = await launch(this.sent, this.lifts ? this.limit : null);
      if (failure) throw failure;
      return true;
    });
    return started === true;
  }
}

const WRONG_LIMIT: FormProblem = { field: "max_iterations", code: "out_of_range", args: {}, blocks: true };
