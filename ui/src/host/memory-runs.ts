import type {
  AgentRow,
  ChangedFileRow,
  ChangedTexts,
  CustomAgentForm,
  DraftedLoop,
  Failure,
  FolderFacts,
  FormDraft,
  FormProblem,
  FormTry,
  LaunchNote,
  Need,
  OutputRow,
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

  reviewStart: RunHost["reviewStart"] = async (form) => this.reviewOf(form);

  startLoop: RunHost["startLoop"] = async (form) => {
    this.asked.push(`start ${form.work.goal}`);
    this.started = form;
    this.#plans.set(this.startedKey, form.plan);
    this.#draft = null;
    return this.startedKey;
  };

  folderFacts: RunHost["folderFacts"] = async (path) =>
    this.folders.get(path) ?? plainFolder(path, this.trustedFolders.includes(path));

  prefillForm: RunHost["prefillForm"] = async (text) => {
    const [title = "", ...rest] = text.replace(/^# /, "").split("\n");
    return { title, goal: rest.join("\n").trim() || title, tasks: [], left_out: 0 };
  };

  draftWork: RunHost["draftWork"] = async (atoms, direction) => {
    this.#mayFail();
    return drafted(atoms, direction);
  };

  formOf: RunHost["formOf"] = async (key) => {
    const form = plainForm(key);
    const work = { ...form.work, ...this.workOf(key) };
    return { ...form, work, folder: this.folderOf(key), plan: this.#plans.get(key) ?? {} };
  };

  draft: RunHost["draft"] = async () => this.#draft;

  saveDraft: RunHost["saveDraft"] = async (form) => {
    if (this.failDraft) throw this.failDraft;
    this.#draft = form;
  };

  templates: RunHost["templates"] = async () => this.#templates;

  saveTemplate: RunHost["saveTemplate"] = async (template) => {
    this.#templates = [...this.#templates.filter(({ name }) => name !== template.name), template];
  };

  deleteTemplate: RunHost["deleteTemplate"] = async (name) => {
    this.#templates = this.#templates.filter((template) => template.name !== name);
  };

  trust: RunHost["trust"] = async (path, trusted) => {
    this.asked.push(`trust ${path} ${trusted}`);
    this.trustedFolders = this.trustedFolders.filter((known) => known !== path);
    if (trusted) this.trustedFolders.push(path);
    const facts = this.folders.get(path);
    if (facts) this.folders.set(path, { ...facts, trusted });
  };

  trusted: RunHost["trusted"] = async () =>
    this.trustedFolders.map((path) => ({ path, shown: path.replace("/home/ana", "~") }));

  /** Notes that the next look at a launch has before the others. */
  launchNotes: LaunchNote[] = [];

  reviewLaunch: RunHost["reviewLaunch"] = async (key, plan) => {
    const review = this.reviewOf({ ...(await this.formOf(key)), plan });
    return { ...review, notes: [...this.launchNotes, ...review.notes] };
  };

  planOf: RunHost["planOf"] = async (key) => this.#plans.get(key) ?? this.last;

  launch: RunHost["launch"] = async (key, plan, raiseLimitTo) => {
    this.asked.push(`launch ${key} ${plan?.agent ?? "as before"} ${raiseLimitTo ?? "same limit"}`);
    const refused = this.failNextLaunch ?? (plan || this.#plans.has(key) ? null : failure("no_plan"));
    this.failNextLaunch = null;
    if (refused) throw refused;
    if (plan) this.#plans.set(key, plan);
    this.onlaunch(key, raiseLimitTo);
  };

  /** What the next start of a plan's own tool fails with. */
  failNextOwnTool: Failure | null = null;

  runOwnTool: RunHost["runOwnTool"] = async (key, confirmed) => {
    this.asked.push(`run own tool ${key} ${confirmed.join(" ")}`);
    const refused = this.failNextOwnTool;
    this.failNextOwnTool = null;
    if (refused) throw refused;
  };

  pauseNow: RunHost["pauseNow"] = async (key) => {
    this.asked.push(`pause now ${key}`);
  };

  stopNow: RunHost["stopNow"] = async (key) => {
    this.asked.push(`stop now ${key}`);
  };

  stopFacts: RunHost["stopFacts"] = async (key) => {
    this.#mayFail();
    return this.stopFactsOf(key);
  };

  tryCommand: RunHost["tryCommand"] = async (wanted) => {
    this.asked.push(`try ${wanted.kind} ${wanted.command} in ${wanted.folder}`);
    this.#mayFail();
    const stopped = new Promise<Tried>((resolve) =>
      this.#tries.set(wanted.id, () => resolve({ ...triedNow(), passes: null, code: null, end: "stopped" })),
    );
    const tried = await Promise.race([this.triedOf(wanted), stopped]);
    this.#tries.delete(wanted.id);
    return tried;
  };

  /** What an agent drafts. */
  draftOf: (wanted: FormDraft) => Promise<DraftedLoop> = async () => sampleDraft();

  draftLoop: RunHost["draftLoop"] = async (wanted) => {
    this.asked.push(`draft ${wanted.paragraph} with ${wanted.plan.agent ?? ""} in ${wanted.folder}`);
    this.#mayFail();
    const stopped = new Promise<DraftedLoop>((_, reject) =>
      this.#tries.set(wanted.id, () => reject(failure("no_draft"))),
    );
    return Promise.race([this.draftOf(wanted), stopped]).finally(() => this.#tries.delete(wanted.id));
  };

  stopTry: RunHost["stopTry"] = async (id) => {
    this.asked.push("stop try");
    this.#tries.get(id)?.();
  };

  verifications: RunHost["verifications"] = async (key) => [...(this.verificationsOf.get(key) ?? [])];

  runs: RunHost["runs"] = async (key) => [...(this.runsOf.get(key) ?? [])];

  output: RunHost["output"] = async (key, run, first, count) => {
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
  };

  outputText: RunHost["outputText"] = async (_key, run, row) => this.outputOf.get(run)?.[row]?.text ?? "";

  runChanges: RunHost["runChanges"] = async (run) => {
    const changed = this.changesOf.get(run);
    if (!changed) throw failure("no_changes");
    return changed.map(({ file }) => file);
  };

  runChange: RunHost["runChange"] = async (run, file) => {
    const texts = this.changesOf.get(run)?.[file]?.texts;
    if (!texts) throw failure("no_changes");
    return texts;
  };

  findOutput: RunHost["findOutput"] = async (_key, run, search) => {
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
  };

  needs: RunHost["needs"] = async () => ({ needs: this.waiting, running: this.running });

  needInput: RunHost["needInput"] = async (id) => {
    this.asked.push(`input ${id}`);
    this.#mayFail();
    const need = this.waiting.find((one) => one.id === id);
    if (!need) throw failure("unknown_need");
    const answers = [...new Set(["allow_once", "allow_for_run", ...need.answers])];
    this.setNeeds(this.waiting.map((one) => (one.id === id ? { ...one, answers } : one)));
    return this.inputOf.get(id) ?? need.input ?? "";
  };

  answer: RunHost["answer"] = async (id, answer) => {
    this.asked.push(`answer ${id} ${JSON.stringify(answer)}`);
    this.#mayFail();
    if (!this.waiting.some((need) => need.id === id)) throw failure("unknown_need");
    this.setNeeds(this.waiting.filter((need) => need.id !== id));
  };

  agents: RunHost["agents"] = async (again) => {
    if (again) this.asked.push("agents again");
    this.#mayFail();
    return this.agentRows;
  };

  saveAgent: RunHost["saveAgent"] = async (agent) => {
    this.asked.push(`save agent ${agent.id}`);
    this.#mayFail();
    const problems = this.problemsOf(agent);
    if (problems.length === 0) {
      const id = `custom:${agent.id}`;
      this.agentRows = [...this.agentRows.filter((row) => row.id !== id), ownAgentRow(agent)];
    }
    return problems;
  };

  removeAgent: RunHost["removeAgent"] = async (id) => {
    this.asked.push(`remove agent ${id}`);
    this.agentRows = this.agentRows.filter((agent) => agent.id !== `custom:${id}`);
  };

  setProgram: RunHost["setProgram"] = async (id, program) => {
    this.asked.push(`program ${id} ${program ?? "as found"}`);
    this.agentRows = this.agentRows.map((row) =>
      row.id === id ? { ...row, ...searchedPlaces(row, program) } : row,
    );
  };

  pickFolder: RunHost["pickFolder"] = async () => this.pickedFolder;

  pickProgram: RunHost["pickProgram"] = async () => this.pickedProgram;

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
    covered: null,
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
    plans: [],
    unread: [],
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
