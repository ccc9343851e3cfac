import type {
  AgentRow,
  ChangedFileRow,
  ChangedTexts,
  CustomAgentForm,
  Direction,
  DraftedLoop,
  DraftedWork,
  Failure,
  FolderFacts,
  FormDraft,
  FormProblem,
  FormTry,
  LaunchNote,
  Need,
  NeedAnswer,
  Needs,
  NewAtom,
  OutputPage,
  OutputRow,
  OutputSearch,
  Prefill,
  RecentFolder,
  RunPlan,
  RunRow,
  StartForm,
  StartReview,
  StopFacts,
  Template,
  Tried,
  AotVerification,
} from "./bindings";
import { drafted, sampleDraft } from "./sample-draft";
import { failure } from "./memory-list";
import type { RunHost } from "./run-host";
import { ownAgentRow, searchedPlaces } from "./sample-agents";

const ERRORS: readonly OutputRow["kind"][] = ["stderr", "denied", "warning"];

function failed(kind: Failure["kind"]): Failure {
  return { kind, args: {}, refusal: null };
}

function isError(row: OutputRow): boolean {
  return ERRORS.includes(row.kind) || row.ok === false;
}

/** Running loops, in memory: the window hears what tests and the browser set. */
/** Asks for the newest rows. */
const NEWEST = 0xffff_ffff;

export class MemoryRuns implements RunHost {
  /** Everything that was asked, for tests. */
  readonly asked: string[] = [];
  /** Runs by loop, newest first. */
  readonly runsOf = new Map<string, RunRow[]>();
  readonly verificationsOf = new Map<string, AotVerification[]>();
  /** Output by run. */
  readonly outputOf = new Map<string, OutputRow[]>();
  /** What runs changed. */
  readonly changesOf = new Map<string, { file: ChangedFileRow; texts: ChangedTexts | null }[]>();
  /** Rows at the beginning of a run's output that are no longer held. */
  readonly droppedOf = new Map<string, number>();
  /** A page is cut at so many letters, as the real one is by bytes. */
  pageSize = 60_000;
  waiting: Need[] = [];
  /** Called when what waits has changed. */
  onNeeds: () => void = () => undefined;
  /** Set to make the next answer, look or save fail. */
  failNext: Failure | null = null;
  /** Set to make every save of the draft fail. */
  failDraft: Failure | null = null;
  running = 0;
  agentRows: AgentRow[] = [];
  folders = new Map<string, FolderFacts>();
  trustedFolders: string[] = [];
  pickedFolder: string | null = null;
  pickedProgram: string | null = null;
  /** Answers what Start would do. */
  reviewOf: (form: StartForm) => StartReview = plainReview;
  problemsOf: (agent: CustomAgentForm) => FormProblem[] = () => [];
  /** Folder of a loop, for the form like it. */
  folderOf: (key: string) => string = () => "/home/ana/code/storefront";
  /** What the form like a loop says of its work. */
  workOf: (key: string) => Partial<StartForm["work"]> = () => ({});
  /** What happens to the loop whose agent was started. */
  onlaunch: (key: string, raiseLimitTo: number | null) => void = () => undefined;
  /** How the last loop was started. */
  last: RunPlan = {};
  /** Whole inputs of permissions, by need. */
  readonly inputOf = new Map<string, string>();
  /** Set to make the next start of an agent fail. */
  failNextLaunch: Failure | null = null;
  startedKey = "w1:.workflow/.loop/loop-v2-20261120T120000-0000abcd.json";

  /** What a stop would end. */
  stopFactsOf: (key: string) => StopFacts = () => ({ person: "ana", runs: 1, processes: 4 });
  /** What comes of a command that is tried. */
  triedOf: (wanted: FormTry) => Promise<Tried> = async () => triedNow();
  readonly #tries = new Map<string, () => void>();

  /** What was started last. */
  started: StartForm | null = null;
  #draft: StartForm | null = null;
  #templates: Template[] = [];
  readonly #plans = new Map<string, RunPlan>();

  /** What waits for the person from now on. */
  setNeeds(needs: readonly Need[]): void {
    this.waiting = [...needs];
    this.onNeeds();
  }

  async reviewStart(form: StartForm): Promise<StartReview> {
    return this.reviewOf(form);
  }

  async startLoop(form: StartForm): Promise<string> {
    this.asked.push(`start ${form.work.goal}`);
    this.started = form;
    this.#plans.set(this.startedKey, form.plan);
    this.#draft = null;
    return this.startedKey;
  }

  async folderFacts(path: string): Promise<FolderFacts> {
    return this.folders.get(path) ?? plainFolder(path, this.trustedFolders.includes(path));
  }

  async prefillForm(text: string): Promise<Prefill> {
    const [title = "", ...rest] = text.replace(/^# /, "").split("\n");
    return { title, goal: rest.join("\n").trim() || title, tasks: [], left_out: 0 };
  }

  async draftWork(atoms: NewAtom[], direction: Direction): Promise<DraftedWork> {
    this.#mayFail();
    return drafted(atoms, direction);
  }

  async formOf(key: string): Promise<StartForm> {
    const form = plainForm(key);
    const work = { ...form.work, ...this.workOf(key) };
    return { ...form, work, folder: this.folderOf(key), plan: this.#plans.get(key) ?? {} };
  }

  async draft(): Promise<StartForm | null> {
    return this.#draft;
  }

  async saveDraft(form: StartForm | null): Promise<void> {
    if (this.failDraft) throw this.failDraft;
    this.#draft = form;
  }

  async templates(): Promise<Template[]> {
    return this.#templates;
  }

  async saveTemplate(template: Template): Promise<void> {
    this.#templates = [...this.#templates.filter(({ name }) => name !== template.name), template];
  }

  async deleteTemplate(name: string): Promise<void> {
    this.#templates = this.#templates.filter((template) => template.name !== name);
  }

  async trust(path: string, trusted: boolean): Promise<void> {
    this.asked.push(`trust ${path} ${trusted}`);
    this.trustedFolders = this.trustedFolders.filter((known) => known !== path);
    if (trusted) this.trustedFolders.push(path);
    const facts = this.folders.get(path);
    if (facts) this.folders.set(path, { ...facts, trusted });
  }

  async trusted(): Promise<RecentFolder[]> {
    return this.trustedFolders.map((path) => ({ path, shown: path.replace("/home/ana", "~") }));
  }

  /** Notes that the next look at a launch has before the others. */
  launchNotes: LaunchNote[] = [];

  async reviewLaunch(key: string, plan: RunPlan): Promise<StartReview> {
    const review = this.reviewOf({ ...(await this.formOf(key)), plan });
    return { ...review, notes: [...this.launchNotes, ...review.notes] };
  }

  async planOf(key: string): Promise<RunPlan> {
    return this.#plans.get(key) ?? this.last;
  }

  async launch(key: string, plan: RunPlan | null, raiseLimitTo: number | null): Promise<void> {
    this.asked.push(`launch ${key} ${plan?.agent ?? "as before"} ${raiseLimitTo ?? "same limit"}`);
    const failure = this.failNextLaunch ?? (plan || this.#plans.has(key) ? null : failed("no_plan"));
    this.failNextLaunch = null;
    if (failure) throw failure;
    if (plan) this.#plans.set(key, plan);
    this.onlaunch(key, raiseLimitTo);
  }

  async pauseNow(key: string): Promise<void> {
    this.asked.push(`pause now ${key}`);
  }

  async stopNow(key: string): Promise<void> {
    this.asked.push(`stop now ${key}`);
  }

  async stopFacts(key: string): Promise<StopFacts> {
    this.#mayFail();
    return this.stopFactsOf(key);
  }

  async tryCommand(wanted: FormTry): Promise<Tried> {
    this.asked.push(`try ${wanted.kind} ${wanted.command} in ${wanted.folder}`);
    this.#mayFail();
    const stopped = new Promise<Tried>((resolve) =>
      this.#tries.set(wanted.id, () => resolve({ ...triedNow(), passes: null, code: null, end: "stopped" })),
    );
    const tried = await Promise.race([this.triedOf(wanted), stopped]);
    this.#tries.delete(wanted.id);
    return tried;
  }

  /** What an agent drafts. */
  draftOf: (wanted: FormDraft) => Promise<DraftedLoop> = async () => sampleDraft();

  async draftLoop(wanted: FormDraft): Promise<DraftedLoop> {
    this.asked.push(`draft ${wanted.paragraph} with ${wanted.plan.agent ?? ""} in ${wanted.folder}`);
    this.#mayFail();
    const stopped = new Promise<DraftedLoop>((_, reject) =>
      this.#tries.set(wanted.id, () => reject(failed("no_draft"))),
    );
    return Promise.race([this.draftOf(wanted), stopped]).finally(() => this.#tries.delete(wanted.id));
  }

  async stopTry(id: string): Promise<void> {
    this.asked.push("stop try");
    this.#tries.get(id)?.();
  }

  async verifications(key: string): Promise<AotVerification[]> {
    return [...(this.verificationsOf.get(key) ?? [])];
  }

  async runs(key: string): Promise<RunRow[]> {
    return [...(this.runsOf.get(key) ?? [])];
  }

  async output(key: string, run: string | null, first: number, count: number): Promise<OutputPage> {
    const newest = this.runsOf.get(key)?.[0];
    const id = run ?? newest?.id ?? "";
    const rows = this.outputOf.get(id) ?? [];
    const dropped = this.droppedOf.get(id) ?? 0;
    const wanted = first === NEWEST ? rows.length - count : first;
    const from = Math.min(rows.length, Math.max(dropped, wanted));
    return {
      run: id,
      total: rows.length,
      first: from,
      dropped,
      rows: cutAt(this.pageSize, rows.slice(from, from + count)),
      alive: newest?.id === id && newest.ended === null,
    };
  }

  async outputText(_key: string, run: string, row: number): Promise<string> {
    return this.outputOf.get(run)?.[row]?.text ?? "";
  }

  async runChanges(run: string): Promise<ChangedFileRow[]> {
    const changed = this.changesOf.get(run);
    if (!changed) throw failed("no_changes");
    return changed.map(({ file }) => file);
  }

  async runChange(run: string, file: number): Promise<ChangedTexts> {
    const texts = this.changesOf.get(run)?.[file]?.texts;
    if (!texts) throw failed("no_changes");
    return texts;
  }

  async findOutput(_key: string, run: string, search: OutputSearch): Promise<number | null> {
    const { text = "", errors = false, from = 0, backwards = false } = search;
    const rows = this.outputOf.get(run) ?? [];
    const fits = (row: OutputRow | undefined): boolean =>
      row !== undefined &&
      (!errors || isError(row)) &&
      `${row.name} ${row.text}`.toLowerCase().includes(text.toLowerCase());
    const least = this.droppedOf.get(run) ?? 0;
    for (let at = Math.max(least, from); at >= least && at < rows.length; at += backwards ? -1 : 1) {
      if (fits(rows[at])) return at;
    }
    return null;
  }

  async needs(): Promise<Needs> {
    return { needs: this.waiting, running: this.running };
  }

  async needInput(id: string): Promise<string> {
    this.asked.push(`input ${id}`);
    this.#mayFail();
    const need = this.waiting.find((one) => one.id === id);
    if (!need) throw failure("unknown_need");
    const answers = [...new Set(["allow_once", "allow_for_run", ...need.answers])];
    this.setNeeds(this.waiting.map((one) => (one.id === id ? { ...one, answers } : one)));
    return this.inputOf.get(id) ?? need.input ?? "";
  }

  async answer(id: string, answer: NeedAnswer): Promise<void> {
    this.asked.push(`answer ${id} ${JSON.stringify(answer)}`);
    this.#mayFail();
    if (!this.waiting.some((need) => need.id === id)) throw failure("unknown_need");
    this.setNeeds(this.waiting.filter((need) => need.id !== id));
  }

  async agents(again: boolean): Promise<AgentRow[]> {
    if (again) this.asked.push("agents again");
    this.#mayFail();
    return this.agentRows;
  }

  async saveAgent(agent: CustomAgentForm): Promise<FormProblem[]> {
    this.asked.push(`save agent ${agent.id}`);
    this.#mayFail();
    const problems = this.problemsOf(agent);
    if (problems.length === 0) {
      const id = `custom:${agent.id}`;
      this.agentRows = [...this.agentRows.filter((row) => row.id !== id), ownAgentRow(agent)];
    }
    return problems;
  }

  async removeAgent(id: string): Promise<void> {
    this.asked.push(`remove agent ${id}`);
    this.agentRows = this.agentRows.filter((agent) => agent.id !== `custom:${id}`);
  }

  async setProgram(id: string, program: string | null): Promise<void> {
    this.asked.push(`program ${id} ${program ?? "as found"}`);
    this.agentRows = this.agentRows.map((row) =>
      row.id === id ? { ...row, ...searchedPlaces(row, program) } : row,
    );
  }

  async pickFolder(): Promise<string | null> {
    return this.pickedFolder;
  }

  async pickProgram(): Promise<string | null> {
    return this.pickedProgram;
  }

  #mayFail(): void {
    const planned = this.failNext;
    this.failNext = null;
    if (planned) throw planned;
  }
}

/** A command that passes at once. */
export function triedNow(): Tried {
  return {
    passes: true,
    could_not_run: false,
    end: "exited",
    code: 0,
    took_ms: 420,
    lines: [{ text: "ok", error: false }],
    cut: false,
    tests: null,
    unread: [],
    found: null,
    left: null,
  };
}

/** As many rows as a page holds; a huge one still comes alone. */
function cutAt(size: number, rows: OutputRow[]): OutputRow[] {
  let sum = 0;
  const end = rows.findIndex((row, index) => (sum += row.text.length + 100) > size && index > 0);
  return end < 0 ? rows : rows.slice(0, end);
}

function plainFolder(path: string, trusted: boolean): FolderFacts {
  return {
    path,
    shown: path.replace("/home/ana", "~"),
    exists: path !== "",
    trusted,
    branch: "main",
    uncommitted: trusted ? 3 : null,
    tests: [{ command: "npm test", results: [], because: "package.json" }],
    taken: [],
    live: [],
    running: 0,
    as_root: false,
  };
}

/** Where the sample workspaces are. */
const FOLDERS: Readonly<Record<string, string>> = {
  w2: "/home/ana/code/billing-core",
  w3: "/home/ana/code/docs-site",
};

function plainForm(key: string): StartForm {
  return {
    work: {
      recipe: "fix_bug",
      format: null,
      mode: null,
      goal: `The work of ${key}`,
      title: "",
      max_iterations: 10,
      tasks: [],
      base_case: null,
    },
    folder: FOLDERS[key.split(":")[0] ?? ""] ?? "/home/ana/code/storefront",
    worktree: "",
    plan: {},
    page: 0,
  };
}

function plainReview(form: StartForm): StartReview {
  const blank = form.work.goal.trim() === "";
  return {
    problems: blank ? [{ field: "goal", code: "blank", args: {}, blocks: true }] : [],
    file: blank
      ? null
      : { file: ".workflow/.loop/loop-v2-20261120T120000-0000abcd.json", text: "{}", beside: [] },
    folder: form.folder,
    argv: ["claude", "-p", "--output-format", "stream-json", "--verbose"],
    prompt: form.work.goal,
    environment: { LOOPDECK_RUN_ID: "made at start" },
    removed: ["CLAUDECODE"],
    inherited: ["HOME", "LANG", "PATH"],
    notes: [],
    runs: form.work.format !== "aot",
  };
}
