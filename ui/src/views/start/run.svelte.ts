import type { AgentRow, Failure, FolderFacts, Format, FormProblem, StartReview } from "../../host/bindings";
import { asFailure } from "../../host/failure";
import type { Host } from "../../host/host";
import { Query } from "../../state/query.svelte";
import type { TrustState } from "../../state/trust.svelte";
import type { Offered } from "./elsewhere";
import { beginForm, likelyAgent, type FullForm, type PageName } from "./form";
import { Later } from "./later";

const REVIEW_WAIT = 200;

/** What the form of a new loop and that of a loop that exists have in common: folder, agent, and what Start would do. */
export abstract class RunState {
  form: FullForm = $state(beginForm({}, ""));
  /** A command of the person's own is being typed. */
  otherTests = $state(false);

  facts: FolderFacts | null = $state.raw(null);
  looking = $state(false);
  agents: readonly AgentRow[] | null = $state.raw(null);
  /** Why it is not known which agents there are. */
  agentsFailure: Failure | null = $state.raw(null);
  review: StartReview | null = $state.raw(null);
  /** What was typed since is not in the review yet. */
  stale = $state(true);
  failure: Failure | null = $state.raw(null);
  /** What is read for the form and could not be read, and how it is read again. */
  failedRead: { readonly failure: Failure; read(): unknown } | null = $state.raw(null);
  busy = $state(false);
  /** The form is filled: now what changes is the person's. */
  begun = $state(false);
  /** Pages whose mistakes are shown: the person has tried to continue. */
  tried: readonly PageName[] = $state.raw([]);
  /** Fields that the person was in. */
  touched: readonly string[] = $state.raw([]);

  abstract readonly format: Format;
  abstract readonly pages: readonly PageName[];
  /** Everything that is wrong or worth knowing, in the order of the pages. */
  abstract readonly problems: readonly FormProblem[];
  /** What Start would be asked for, as far as it is filled in. */
  abstract readonly sent: unknown;
  /** It is to run on another machine. */
  abstract readonly away: boolean;
  /** What that machine offers; nothing for this computer, and before it is known. */
  abstract readonly offered: Offered | null;
  /** Problems that are shown at once: what they are about was chosen, or proposed. */
  abstract readonly awayProblems: readonly FormProblem[];

  readonly agent = $derived(this.agents?.find((one) => one.id === this.form.plan.agent));
  readonly page: PageName = $derived.by(() => this.pages[this.form.page] ?? "run");
  readonly blocking: readonly FormProblem[] = $derived.by(() => this.problems.filter(({ blocks }) => blocks));

  protected readonly host: Host;
  protected readonly trusting: TrustState;
  protected ended = false;
  protected testsAreChosen = false;
  protected readonly later = new Later(() => void this.#reviewing.read(), REVIEW_WAIT);
  readonly #reviewing = new Query(() => this.#reviewOnce());
  #looks = 0;

  constructor(host: Host, trust: TrustState) {
    this.host = host;
    this.trusting = trust;
  }

  /** The page that contains what the problem is about. */
  abstract pageOf(problem: FormProblem): PageName;
  /** Asks for the review of what would be sent, here as text. */
  protected abstract readReview(sent: string): Promise<StartReview>;

  /** What is filled in for the person is no change of theirs. */
  protected propose(change: () => void): void {
    change();
  }

  /** Something was typed or chosen. */
  changedNow(): void {
    if (!this.begun || this.ended) return;
    this.stale = true;
    this.later.ask();
  }

  async #reviewOnce(): Promise<void> {
    const asked = JSON.stringify(this.sent);
    try {
      const review = await this.readReview(asked);
      // The latest wins: what was typed meanwhile is asked for next.
      if (JSON.stringify(this.sent) !== asked) return void this.later.ask();
      this.review = review;
      this.stale = false;
      this.failedRead = null;
    } catch (reason) {
      // What was said of an earlier form may not hold of this one.
      this.review = null;
      this.failedRead = { failure: asFailure(reason), read: () => this.#reviewing.read() };
    }
  }

  /** What is to be known now, without waiting for a pause. */
  async reviewNow(): Promise<void> {
    this.later.forget();
    for (let tries = 0; this.stale && tries < 5; tries += 1) {
      this.later.forget();
      await this.#reviewOnce();
      if (this.failedRead) break;
    }
    this.later.forget();
  }

  /** The form goes out of sight. */
  leave(): void {
    this.later.forget();
    this.ended = true;
  }

  // ---- folder and agents

  /** What is known of the folder; what is asked for last wins, though it may be answered first. */
  async lookAtFolder(): Promise<void> {
    const look = ++this.#looks;
    const { folder } = this.form;
    this.looking = folder !== "";
    if (folder === "") {
      this.facts = null;
      return;
    }
    try {
      const facts = await this.host.runs.folderFacts(folder);
      if (look !== this.#looks) return;
      this.facts = facts;
      this.failedRead = null;
      // The folder as the disk names it; a form never holds a short form of it.
      this.propose(() => {
        if (facts.exists && facts.path !== "") this.form.folder = facts.path;
        if (!this.testsAreChosen) this.#proposeTests(facts);
      });
    } catch (reason) {
      if (look !== this.#looks) return;
      this.failedRead = { failure: asFailure(reason), read: () => this.lookAtFolder() };
    }
    this.looking = false;
    this.changedNow();
  }

  /** Where it is to run changed what the tests can be. */
  proposeTests(): void {
    const { facts } = this;
    if (this.begun && facts && !this.testsAreChosen) this.propose(() => this.#proposeTests(facts));
  }

  #proposeTests({ tests }: FolderFacts): void {
    const allowed = this.offered?.commands;
    const proposal = allowed ? tests.find(({ command }) => allowed.includes(command)) : tests[0];
    this.form.plan.test_command = proposal?.command ?? allowed?.[0] ?? "";
    this.form.plan.results = [...(proposal?.results ?? [])];
  }

  /** From now on another folder does not change how the tests are run. */
  testsChosen(): void {
    this.testsAreChosen = true;
  }

  async trust(): Promise<void> {
    this.failure = null;
    if (await this.trusting.set(this.form.folder, true)) await this.lookAtFolder();
    else this.failure = this.trusting.refused;
  }

  async lookForAgents(again: boolean): Promise<void> {
    if (again) this.agents = null;
    try {
      this.agents = await this.host.runs.agents(again);
      this.agentsFailure = null;
      this.proposeAgent();
    } catch (reason) {
      this.agents = null;
      this.agentsFailure = asFailure(reason);
    }
    this.changedNow();
  }

  protected proposeAgent(): void {
    if (this.form.plan.agent !== "" || !this.agents) return;
    const likely = likelyAgent(this.agents)?.id ?? "";
    this.propose(() => (this.form.plan.agent = likely));
  }

  // ---- mistakes

  touch(field: string): void {
    if (!this.touched.includes(field)) this.touched = [...this.touched, field];
  }

  /**
   * Mistakes of a field as far as they are to be shown: a field is not criticised before the person
   * was in it.
   */
  wrong(field: string): FormProblem | undefined {
    const found = this.problems.find((problem) => problem.blocks && problem.field === field);
    const seen = found && (this.tried.includes(this.pageOf(found)) || this.touched.includes(field));
    return seen ? found : this.awayProblems.find((problem) => problem.blocks && problem.field === field);
  }

  blockingOn(page: PageName): FormProblem | undefined {
    return this.blocking.find((problem) => this.pageOf(problem) === page);
  }

  try(page: PageName): void {
    if (!this.tried.includes(page)) this.tried = [...this.tried, page];
  }

  go(page: PageName): void {
    this.form.page = Math.max(0, this.pages.indexOf(page));
  }

  // ---- Start

  /** Does it once everything is right; answers nothing with what is wrong shown. */
  protected async startBy<T>(begin: () => Promise<T>): Promise<T | null> {
    if (this.busy) return null;
    this.busy = true;
    this.failure = null;
    try {
      this.stale = true;
      await this.reviewNow();
      this.tried = this.pages;
      if (this.blocking.length > 0 || this.failedRead) return null;
      const started = await begin();
      this.ended = true;
      return started;
    } catch (reason) {
      this.failure = asFailure(reason);
      return null;
    } finally {
      this.busy = false;
    }
  }
}
