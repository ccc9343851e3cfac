import type {
  AgentRow,
  Failure,
  FolderFacts,
  FollowUpKind,
  FormProblem,
  StartForm,
  StartReview,
} from "../../host/bindings";
import { asFailure } from "../../host/failure";
import type { Host } from "../../host/host";
import type { RunOn } from "../../state/run-on.svelte";
import type { TrustState } from "../../state/trust.svelte";
import { Turns } from "../../state/turns";
import { baseCaseOf, checkForm, type CheckForm } from "../steps/checks";
import {
  beginForm,
  branchName,
  formatOf,
  fullForm,
  likelyAgent,
  ownProblems,
  pageOf,
  pagesOf,
  placeOf,
  sentForm,
  sentPlan,
  type FullForm,
  type PageName,
} from "./form";
import { sentAot } from "./aot";
import { awayProblems, holdsElsewhere, type Offered, offeredBy } from "./elsewhere";
import { followUpWork } from "../loop/follow-up/words";
import { Later } from "./later";
import { SavedDraft } from "./saved-draft";
import { Templates } from "./templates.svelte";

const REVIEW_WAIT = 200;

/** What filled the form in, besides the person. */
export type Filled =
  | { by: "draft" }
  | { by: "loop"; title: string }
  | { by: "follow_up"; title: string }
  | { by: "template"; name: string }
  | { by: "text"; said: string }
  | { by: "before" };

/** What Start made: a loop here, or a run on another machine. */
export type Started = { readonly key: string } | { readonly job: string };

/** The start form: its content, what is known about it, and what Start would do. */
export class StartState {
  form: FullForm = $state(beginForm({}, ""));
  checks: CheckForm = $state(checkForm(null));
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
  /** Why the content cannot be saved; it blocks nothing. */
  unkept: Failure | null = $state.raw(null);
  filled: Filled | null = $state.raw(null);
  busy = $state(false);
  /** The form is filled: now what changes is the person's. */
  begun = $state(false);
  /** Pages whose mistakes are shown: the person has tried to continue. */
  tried: readonly PageName[] = $state.raw([]);
  /** Fields that the person was in. */
  touched: readonly string[] = $state.raw([]);

  readonly #host: Host;
  readonly #trust: TrustState;
  readonly runOn: RunOn;
  readonly templates: Templates;
  /** The form as it stood before something else was filled in. */
  before: StartForm | null = $state.raw(null);
  #opened = "";
  /** The page that the draft on disk is left at; nothing where that is the draft of another form. */
  #leftAt: number | null = null;
  /** The last level that was chosen, to be marked. */
  lastLevel = $state<string | null>(null);
  #ended = false;
  #testsChosen = false;
  #looks = 0;
  readonly #draft: SavedDraft;
  readonly #reviewing = new Turns(() => this.#reviewOnce());
  readonly #later = new Later(() => void this.#reviewing.take(), REVIEW_WAIT);

  constructor(host: Host, trust: TrustState, runOn: RunOn) {
    this.#host = host;
    this.#trust = trust;
    this.runOn = runOn;
    this.templates = new Templates(host);
    this.#draft = new SavedDraft(
      host,
      () => this.#keep(),
      (failure) => (this.unkept = failure),
    );
  }

  readonly agent = $derived(this.agents?.find((one) => one.id === this.form.plan.agent));
  readonly format = $derived(formatOf(this.form));
  readonly pages: readonly PageName[] = $derived(pagesOf(this.format));
  readonly page: PageName = $derived(this.pages[this.form.page] ?? "goal");
  readonly sent: StartForm = $derived(
    // Unfinished checks too: the gate names what is missing of each.
    sentForm($state.snapshot(this.form), this.agent, baseCaseOf($state.snapshot(this.checks))),
  );
  /** It is to run on another machine. */
  readonly away: boolean = $derived.by(() => this.runOn.target !== null);
  /** What that machine offers; nothing for this computer, and before it is known. */
  readonly offered: Offered | null = $derived.by(() => {
    const { target, places } = this.runOn;
    return target && places ? offeredBy(target, places, this.form.plan.agent) : null;
  });
  /** What is wrong with running it there. */
  readonly awayProblems: readonly FormProblem[] = $derived.by(() =>
    this.away ? awayProblems(this.sent, this.runOn, this.nameOf) : [],
  );
  /** Everything that is wrong or worth knowing, in the order of the pages. */
  readonly problems: readonly FormProblem[] = $derived(
    [
      ...(this.review?.problems ?? []).filter((problem) => !this.away || holdsElsewhere(problem)),
      ...ownProblems(this.form, this.agent),
      ...this.awayProblems,
    ].sort((a, b) => placeOf(pageOf(a, this.format)) - placeOf(pageOf(b, this.format))),
  );
  readonly blocking: readonly FormProblem[] = $derived(this.problems.filter((problem) => problem.blocks));

  /** An agent's name by its id. */
  readonly nameOf = (id: string): string => this.agents?.find((one) => one.id === id)?.name ?? id;

  /** Fills the form in: like a loop, as it was left, or new. */
  async open(
    from: string | null,
    title: string,
    folder: string,
    followUp: FollowUpKind | null = null,
  ): Promise<void> {
    const { runs } = this.#host;
    const quiet = <T>(asked: Promise<T>, otherwise: T) => asked.catch(() => otherwise);
    void this.lookForAgents(false);
    void this.templates.read();
    void this.#trust.load();
    const [draft, last] = await Promise.all([quiet(this.#draft.read(), null), quiet(runs.planOf(""), {})]);
    this.lastLevel = last.level ?? null;
    this.runOn.begin(from === null && draft ? draft.folder : null);
    const fresh = beginForm(last, folder);
    if (from === null) {
      if (draft) this.filled = { by: "draft" };
      this.before = draft ? fresh : null;
      this.#take(draft ?? fresh);
      this.#leftAt = draft ? this.form.page : null;
    } else {
      try {
        const form = await runs.formOf(from);
        this.#take(followUp === null ? form : await this.#following(form, from, followUp));
        const by = followUp === null ? "loop" : "follow_up";
        this.filled = draft ? { by: "before" } : { by, title };
      } catch (reason) {
        this.failure = asFailure(reason);
        this.#take(fresh);
      }
      this.before = draft;
    }
    this.begun = true;
  }

  /** The form of a loop as that of follow-up work: the same folder and plan, another goal, and the loop named. */
  async #following(form: StartForm, key: string, kind: FollowUpKind): Promise<StartForm> {
    const { row, detail } = await this.#host.openLoop(key);
    const offer = detail.follow_ups.find((one) => one.kind === kind);
    if (!offer) return form;
    const follow_up = { kind, loop_id: row.id, key };
    // What the loop before was made of is done.
    const fresh = { tasks: [], base_case: null, aot: {} };
    return { ...form, work: { ...form.work, ...followUpWork(offer, row.title), ...fresh, follow_up } };
  }

  #take(form: StartForm): void {
    this.form = fullForm(structuredClone(form));
    this.form.page = Math.max(0, Math.min(this.pages.length - 1, Math.floor(form.page)));
    this.checks = checkForm(form.work.base_case);
    this.otherTests = false;
    this.#testsChosen = form.plan.test_command !== undefined && form.plan.test_command !== "";
    this.#opened = this.#kept();
    this.tried = [];
    this.touched = [];
    this.#proposeAgent();
    void this.lookAtFolder();
  }

  /** The form to keep: unfinished checks too. */
  #whole(): StartForm {
    const form = $state.snapshot(this.form);
    const { max_iterations } = this.sent.work;
    return {
      ...form,
      work: { ...form.work, max_iterations, base_case: this.#base(), aot: this.#aot() },
      plan: { ...sentPlan(form.plan, undefined), level: form.plan.level },
    };
  }

  /** A number that cannot be sent cannot be kept either. */
  #aot() {
    const { aot } = $state.snapshot(this.form).work;
    const { max_parallel_agents, max_stall_count } = sentAot(aot);
    return { ...aot, max_parallel_agents, max_stall_count };
  }

  #base() {
    const touched = JSON.stringify(this.checks) !== JSON.stringify(checkForm(null));
    return touched ? baseCaseOf($state.snapshot(this.checks)) : null;
  }

  /** What tells whether the person changed something. */
  #kept(): string {
    return JSON.stringify([{ ...$state.snapshot(this.form), page: 0 }, this.checks]);
  }

  /** Whether there is something that is not kept yet. */
  get changed(): boolean {
    return this.#kept() !== this.#opened;
  }

  /** What is filled in for the person is no change of theirs. */
  #propose(change: () => void): void {
    const clean = !this.changed;
    change();
    if (clean) this.#opened = this.#kept();
  }

  /** Something was typed or chosen. */
  changedNow(): void {
    if (!this.begun || this.#ended) return;
    this.stale = true;
    this.#later.ask();
    if (this.changed) this.#draft.ask();
  }

  async #reviewOnce(): Promise<void> {
    const asked = JSON.stringify(this.sent);
    try {
      const review = await this.#host.runs.reviewStart(JSON.parse(asked) as StartForm);
      // The latest wins: what was typed meanwhile is asked for next.
      if (JSON.stringify(this.sent) !== asked) return void this.#later.ask();
      this.review = review;
      this.stale = false;
    } catch (reason) {
      this.failure = asFailure(reason);
    }
  }

  /** What is to be known now, without waiting for a pause. */
  async reviewNow(): Promise<void> {
    this.#later.forget();
    for (let tries = 0; this.stale && tries < 5; tries += 1) {
      this.#later.forget();
      await this.#reviewOnce();
      if (this.failure) break;
    }
    this.#later.forget();
  }

  /** The form as it is saved now. */
  #keep(): StartForm {
    this.#opened = this.#kept();
    this.#leftAt = this.form.page;
    return this.#whole();
  }

  /** The form goes out of sight: what was typed last is kept. */
  leave(): void {
    // It is offered again where it was left, also when only the page changed since it was saved.
    if (this.#leftAt !== null && this.#leftAt !== this.form.page) this.#draft.ask();
    this.#draft.flush();
    this.#later.forget();
    this.#ended = true;
  }

  // ---- other forms

  /** Another form takes the place of this one; `undoFill` brings this one back. */
  fill(form: StartForm, filled: Filled): void {
    const before = this.#whole();
    this.#take({ ...form, page: this.form.page });
    this.before = before;
    this.filled = filled;
    this.#opened = "";
    this.changedNow();
  }

  /** Other words for the work; everything else stays. */
  fillWork(words: Partial<StartForm["work"]>, filled: Filled): void {
    const now = this.#whole();
    this.fill({ ...now, work: { ...now.work, ...words } }, filled);
  }

  /** Back to what stood there before. A draft that is set aside so can be brought back in turn. */
  undoFill(): void {
    const { before, filled } = this;
    if (!before) return;
    const over = filled?.by === "draft";
    this.#leftAt = null;
    if (over) this.runOn.begin(null);
    const now = this.#whole();
    this.#take({ ...before, page: over ? 0 : this.form.page });
    // A form that is started over is empty: the draft on disk stays until something else is typed.
    if (!over) this.#opened = "";
    this.before = over ? now : null;
    this.filled = over ? { by: "before" } : null;
    this.changedNow();
  }

  saveTemplate(name: string): Promise<void> {
    return this.templates.save(name, this.#whole());
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
      const facts = await this.#host.runs.folderFacts(folder);
      if (look !== this.#looks) return;
      this.facts = facts;
      // The folder as the disk names it; a form never holds a short form of it.
      this.#propose(() => {
        if (facts.exists && facts.path !== "") this.form.folder = facts.path;
        if (!this.#testsChosen) this.#proposeTests(facts);
      });
    } catch (reason) {
      if (look !== this.#looks) return;
      this.failure = asFailure(reason);
    }
    this.looking = false;
    this.changedNow();
  }

  /** Where it is to run changed what the tests can be. */
  proposeTests(): void {
    const { facts } = this;
    if (this.begun && facts && !this.#testsChosen) this.#propose(() => this.#proposeTests(facts));
  }

  #proposeTests({ tests }: FolderFacts): void {
    const allowed = this.offered?.commands;
    const proposal = allowed ? tests.find(({ command }) => allowed.includes(command)) : tests[0];
    this.form.plan.test_command = proposal?.command ?? allowed?.[0] ?? "";
    this.form.plan.results = [...(proposal?.results ?? [])];
  }

  /** From now on another folder does not change how the tests are run. */
  testsChosen(): void {
    this.#testsChosen = true;
  }

  chooseFolder(path: string): void {
    if (path !== this.form.folder) this.form.work.plan = null; // it is in the other folder
    this.form.folder = path;
    this.form.replace = false; // said of another folder
    this.facts = null;
    this.#answered("folder");
    this.touch("folder");
    void this.lookAtFolder();
  }

  /**
   * What the review says about a choice no longer holds once another is made: it must not disappear
   * only when the review is repeated, and move what is under the pointer by then.
   */
  #answered(field: string): void {
    if (!this.review) return;
    const problems = this.review.problems.filter((problem) => problem.field !== field);
    this.review = { ...this.review, problems };
  }

  async trust(): Promise<void> {
    this.failure = null;
    if (await this.#trust.set(this.form.folder, true)) await this.lookAtFolder();
    else this.failure = this.#trust.failure;
  }

  makeWorktree(): void {
    if (this.form.worktree.trim() !== "") return;
    const ending = Math.floor(Math.random() * 36 ** 3)
      .toString(36)
      .padStart(3, "0");
    this.form.worktree = branchName(this.form.work, ending);
  }

  async lookForAgents(again: boolean): Promise<void> {
    if (again) this.agents = null;
    try {
      this.agents = await this.#host.runs.agents(again);
      this.agentsFailure = null;
      this.#proposeAgent();
    } catch (reason) {
      this.agents = null;
      this.agentsFailure = asFailure(reason);
    }
    this.changedNow();
  }

  #proposeAgent(): void {
    if (this.form.plan.agent !== "" || !this.agents) return;
    const likely = likelyAgent(this.agents)?.id ?? "";
    this.#propose(() => (this.form.plan.agent = likely));
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
    const seen = found && (this.tried.includes(pageOf(found, this.format)) || this.touched.includes(field));
    // What another machine does not allow was chosen, or proposed: it is no field that was left out.
    return seen ? found : this.awayProblems.find((problem) => problem.blocks && problem.field === field);
  }

  blockingOn(page: PageName): FormProblem | undefined {
    return this.blocking.find((problem) => pageOf(problem, this.format) === page);
  }

  try(page: PageName): void {
    if (!this.tried.includes(page)) this.tried = [...this.tried, page];
  }

  go(page: PageName): void {
    this.form.page = Math.max(0, this.pages.indexOf(page));
  }

  // ---- Start

  /** Starts the loop, here or on another machine; answers nothing with what is wrong shown. */
  async start(): Promise<Started | null> {
    if (this.busy) return null;
    this.busy = true;
    this.failure = null;
    try {
      this.stale = true;
      await this.reviewNow();
      this.tried = this.pages;
      if (this.blocking.length > 0 || this.failure) return null;
      const started = await this.#draft.sending(() => this.#begin());
      this.#ended = true;
      this.runOn.begin(null);
      return started;
    } catch (reason) {
      this.failure = asFailure(reason);
      return null;
    } finally {
      this.busy = false;
    }
  }

  async #begin(): Promise<Started> {
    const { target, ifGone } = this.runOn;
    if (!target) return { key: await this.#host.runs.startLoop(this.sent) };
    const job = await this.#host.sendRun(this.sent, target, ifGone);
    // A draft that cannot be removed now is offered again, and does no harm.
    await this.#host.runs.saveDraft(null).catch(() => undefined);
    return { job };
  }
}
