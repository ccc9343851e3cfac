import type { Failure, FollowUpKind, FormProblem, Issue, StartForm, StartReview } from "../../host/bindings";
import { asFailure } from "../../host/failure";
import type { Host } from "../../host/host";
import type { IssueOfForm } from "../../state/issue-of-form.svelte";
import type { RunOn } from "../../state/run-on.svelte";
import type { TrustState } from "../../state/trust.svelte";
import { baseCaseOf, checkForm, type CheckForm } from "../steps/checks";
import {
  beginForm,
  branchName,
  formatOf,
  fullForm,
  ownProblems,
  pageOf,
  pagesOf,
  placeOf,
  sentForm,
  sentPlan,
  type PageName,
} from "./form";
import { sentAot } from "./aot";
import { awayProblems, holdsElsewhere, type Offered, offeredBy } from "./elsewhere";
import { followUpWork } from "../loop/follow-up/words";
import { RunState } from "./run.svelte";
import { SavedDraft } from "./saved-draft";
import { Templates } from "./templates.svelte";

/** What filled the form in, besides the person. */
export type Filled =
  | { by: "draft" }
  | { by: "loop"; title: string }
  | { by: "follow_up"; title: string }
  | { by: "template"; name: string }
  | { by: "text"; said: string }
  | { by: "issue"; said: string }
  | { by: "before" };

/** What Start made: a loop here, and why its issue is not remembered; or a run on another machine. */
export type Started = { readonly key: string; readonly unkept: Failure | null } | { readonly job: string };

/** The start form: its content, what is known about it, and what Start would do. */
export class StartState extends RunState {
  /** Why the content cannot be saved; it blocks nothing. */
  unkept: Failure | null = $state.raw(null);
  filled: Filled | null = $state.raw(null);
  checks: CheckForm = $state(checkForm(null));

  readonly runOn: RunOn;
  readonly #issue: IssueOfForm;
  readonly templates: Templates;
  /** The form as it stood before something else was filled in. */
  before: StartForm | null = $state.raw(null);
  #opened = "";
  /** The page that the draft on disk is left at; nothing where that is the draft of another form. */
  #leftAt: number | null = null;
  readonly #draft: SavedDraft;

  constructor(host: Host, trust: TrustState, runOn: RunOn, issue: IssueOfForm) {
    super(host, trust);
    this.runOn = runOn;
    this.#issue = issue;
    this.templates = new Templates(host);
    this.#draft = new SavedDraft(
      host,
      () => this.#keep(),
      (failure) => (this.unkept = failure),
    );
  }

  readonly format = $derived(formatOf(this.form));
  readonly pages: readonly PageName[] = $derived(pagesOf(this.format));
  readonly sent: StartForm = $derived(
    // Unfinished checks too: the gate names what is missing of each.
    sentForm($state.snapshot(this.form), this.agent, baseCaseOf($state.snapshot(this.checks))),
  );
  readonly away: boolean = $derived.by(() => this.runOn.target !== null);
  /** What this computer keeps: a loop that runs elsewhere has none. */
  readonly issue: Issue | null = $derived.by(() => (this.away ? null : this.#issue.in(this.form.folder)));
  readonly offered: Offered | null = $derived.by(() => {
    const { target, places } = this.runOn;
    return target && places ? offeredBy(target, places, this.form.plan.agent) : null;
  });
  readonly awayProblems: readonly FormProblem[] = $derived.by(() =>
    this.away ? awayProblems(this.sent, this.runOn, this.nameOf) : [],
  );
  readonly problems: readonly FormProblem[] = $derived(
    [
      ...(this.review?.problems ?? []).filter((problem) => !this.away || holdsElsewhere(problem)),
      ...ownProblems(this.form, this.agent),
      ...this.awayProblems,
    ].sort((a, b) => placeOf(this.pageOf(a)) - placeOf(this.pageOf(b))),
  );

  /** An agent's name by its id. */
  readonly nameOf = (id: string): string => this.agents?.find((one) => one.id === id)?.name ?? id;

  /** Fills the form in: like a loop, as it was left, or new. */
  async open(
    from: string | null,
    title: string,
    folder: string,
    followUp: FollowUpKind | null = null,
  ): Promise<void> {
    const { runs } = this.host;
    const quiet = <T>(asked: Promise<T>, otherwise: T) => asked.catch(() => otherwise);
    void this.lookForAgents(false);
    void this.templates.read();
    void this.trusting.read();
    const [draft, last] = await Promise.all([quiet(this.#draft.read(), null), quiet(runs.planOf(""), {})]);
    this.runOn.begin(from === null && draft ? draft.folder : null);
    const fresh = beginForm(last, folder);
    if (from !== null || !draft) this.leaveIssue();
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
        this.#take(fresh);
        this.failedRead = {
          failure: asFailure(reason),
          read: () => this.open(from, title, folder, followUp),
        };
      }
      this.before = draft;
    }
    this.begun = true;
  }

  /** The form of a loop as that of follow-up work: the same folder and plan, another goal, and the loop named. */
  async #following(form: StartForm, key: string, kind: FollowUpKind): Promise<StartForm> {
    const { row, detail } = await this.host.openLoop(key);
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
    this.testsAreChosen = form.plan.test_command !== undefined && form.plan.test_command !== "";
    this.#opened = this.#kept();
    this.tried = [];
    this.touched = [];
    this.proposeAgent();
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
  protected override propose(change: () => void): void {
    const clean = !this.changed;
    change();
    if (clean) this.#opened = this.#kept();
  }

  override changedNow(): void {
    super.changedNow();
    if (this.begun && !this.ended && this.changed) this.#draft.ask();
  }

  pageOf(problem: FormProblem): PageName {
    return pageOf(problem, this.format);
  }

  protected readReview(sent: string): Promise<StartReview> {
    return this.host.runs.reviewStart(JSON.parse(sent) as StartForm);
  }

  /** The form as it is saved now. */
  #keep(): StartForm {
    this.#opened = this.#kept();
    this.#leftAt = this.form.page;
    return this.#whole();
  }

  /** The form goes out of sight: what was typed last is kept. */
  override leave(): void {
    // It is offered again where it was left, also when only the page changed since it was saved.
    if (this.#leftAt !== null && this.#leftAt !== this.form.page) this.#draft.ask();
    this.#draft.flush();
    super.leave();
  }

  // ---- other forms

  /** Another form takes the place of this one; `undoFill` brings this one back. */
  fill(form: StartForm, filled: Filled): void {
    const [before, page] = [this.#whole(), this.page];
    this.#take(form);
    this.go(page);
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

  /** The words of an issue, which is remembered of the loop once it is started. */
  fillFromIssue(words: Partial<StartForm["work"]>, issue: Issue, said: string): void {
    this.fillWork(words, { by: "issue", said });
    this.#issue.take(this.form.folder, issue);
  }

  /** The loop comes from no issue. */
  leaveIssue(): void {
    this.#issue.leave();
  }

  /** Back to what stood there before. A draft that is set aside so can be brought back in turn. */
  undoFill(): void {
    const { before, filled } = this;
    if (!before) return;
    const over = filled?.by === "draft";
    if (over || filled?.by === "issue") this.leaveIssue();
    this.#leftAt = null;
    if (over) this.runOn.begin(null);
    const [now, page] = [this.#whole(), this.page];
    this.#take({ ...before, page: 0 });
    if (!over) this.go(page);
    // A form that is started over is empty: the draft on disk stays until something else is typed.
    if (!over) this.#opened = "";
    this.before = over ? now : null;
    this.filled = over ? { by: "before" } : null;
    this.changedNow();
  }

  saveTemplate(name: string): Promise<void> {
    return this.templates.save(name, this.#whole());
  }

  // ---- folder

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

  makeWorktree(): void {
    if (this.form.worktree.trim() !== "") return;
    const ending = Math.floor(Math.random() * 36 ** 3)
      .toString(36)
      .padStart(3, "0");
    this.form.worktree = branchName(this.form.work, ending);
  }

  // ---- Start

  /** Starts the loop, here or on another machine; answers nothing with what is wrong shown. */
  async start(): Promise<Started | null> {
    const { issue } = this;
    const started = await this.startBy(() => this.#draft.sending(() => this.#begin(issue)));
    if (!started) return null;
    this.runOn.begin(null);
    this.leaveIssue();
    return started;
  }

  async #begin(issue: Issue | null): Promise<Started> {
    const { target, ifGone } = this.runOn;
    if (!target) return this.#beginHere(issue);
    const job = await this.host.sendRun(this.sent, target, ifGone);
    // A draft that cannot be removed now is offered again, and does no harm.
    await this.host.runs.saveDraft(null).catch(() => undefined);
    return { job };
  }

  /** An issue that can't be remembered keeps no loop from running. */
  async #beginHere(issue: Issue | null): Promise<Started> {
    const key = await this.host.runs.startLoop(this.sent);
    if (!issue) return { key, unkept: null };
    const kept = this.host.finishing.keepIssue(key, issue);
    return { key, unkept: await kept.then(() => null, asFailure) };
  }
}
