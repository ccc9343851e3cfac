import type {
  AttentionRule,
  ComparedMoment,
  Failure,
  LoopDetail,
  LoopNotes,
  LoopRow,
  Push,
  Watching,
  WorkspaceView,
} from "./bindings";
import type { Host } from "./host";
import { linesPage } from "./lines-page";
import { MemoryDesktop } from "./memory-desktop";
import { MemoryFinishing } from "./memory-finishing";
import { MemoryList, workspaceView } from "./memory-list";
import { MemoryLoops } from "./memory-loops";
import { MemoryRuns } from "./memory-runs";
import { MemoryTeam } from "./memory-team";
import { samplePastChanges } from "./sample-board";
import { sampleSource } from "./sample-details";
import { SampleDocuments } from "./sample-documents";
import { drawn } from "./sample-drawing";
import { sampleEffects } from "./sample-effects";
import { sampleAccount, sampleOverview, sampleReport, sampleReportText } from "./sample-reports";
import { sampleRecovery } from "./sample-recovery";
import { manyRows, sampleRows } from "./sample-rows";
import { controlsOf } from "./sample-rules";
import { sightOf, testView } from "./sample-places";
import { sampleSearch } from "./sample-search";
import { sampleComparison } from "./sample-compare";
import { sampleTrends } from "./sample-trends";
import { workLike } from "./sample-start";
import { testRowsOf, testTable } from "./sample-tests";

/** A host that lives in memory: for tests, and for the page in a plain browser. */
export class MemoryHost extends MemoryDesktop implements Host {
  recent = [{ path: "/home/ana/code/archive", shown: "~/code/archive" }];
  /** How long a request stays “requested”; null waits for `settle`. */
  landAfter: number | null = null;
  pickedFolder: string | null = null;
  open: string | null = null;
  newer: Failure | null = null;
  damaged: Failure[] = [];
  /** When the overview was looked at last. */
  visited: number | null = null;
  /** Files that are not in a workspace; all others are. */
  readonly missing = new Set<string>();
  /** Running loops. */
  readonly runs = new MemoryRuns();
  /** What became of the files of a loop. */
  readonly finishing = new MemoryFinishing();
  /** The team; this machine belongs to none at first. */
  readonly inTeam = new MemoryTeam();

  readonly #list = new MemoryList();
  readonly #loops = new MemoryLoops(this.#list);
  rules: AttentionRule[] = [];
  readonly #deleted = new Map<string, LoopRow>();
  readonly #notes = new Map<string, LoopNotes>();
  /** The files next to the loops. */
  readonly documents = new SampleDocuments();

  constructor() {
    super();
    this.runs.folderOf = (key) => {
      const name = SAMPLE_WORKSPACES.find(({ id }) => key.startsWith(`${id}:`))?.name ?? "storefront";
      return `/home/ana/code/${name}`;
    };
    this.runs.workOf = (key) => workLike(this.rows().find((row) => row.key === key));
    this.runs.onlaunch = (key, raise) => {
      const row = this.#row(key);
      const verb = (["start", "resume", "reopen"] as const).find((one) => row.verbs.includes(one));
      this.#loops.request(row, verb ?? "resume", raise === null ? {} : { raise_limit_to: raise });
      if (this.landAfter !== null) setTimeout(() => this.settle(), this.landAfter);
    };
    this.runs.onNeeds = () => this.#list.tellNeeds();
  }

  // ---- what tests and the browser do to it

  fill(rows: readonly LoopRow[], workspaces: readonly WorkspaceView[]): void {
    this.#list.fill(rows, workspaces);
  }

  put(row: LoopRow, tell = true): void {
    this.#list.put(row, tell);
  }

  /** As if another program had written the file. */
  write(key: string, patch: Partial<LoopRow>): void {
    this.#list.write(key, patch);
  }

  remove(key: string): void {
    this.#list.remove(key);
  }

  detail(key: string, patch: Partial<LoopDetail>): void {
    this.#loops.say(key, patch);
  }

  /** As if the desktop had said something to the window. */
  push(push: Push): void {
    this.#list.onPush(push);
  }

  rows(): LoopRow[] {
    return this.#list.rows();
  }

  get watching(): Watching {
    return this.#list.watching;
  }

  set watching(watching: Watching) {
    this.#list.watching = watching;
  }

  /** Whether folders from last time are still to come; their end is news. */
  set reopening(reopening: boolean) {
    this.#list.tellReopening(reopening);
  }

  /** Lets every requested verb land. */
  settle(): void {
    this.#loops.settle();
  }

  // ---- Host

  startup: Host["startup"] = async () => ({
    version: "0.1.0",
    platform: "linux",
    settings: this.settings,
    recent: this.recent,
    newer: this.newer,
    damaged: this.damaged,
    updates: this.update !== null,
    open: this.open,
  });

  painted: Host["painted"] = async () => this.asked.push("painted");

  subscribe: Host["subscribe"] = async (onPush) => {
    this.#list.onPush = onPush;
  };

  changes: Host["changes"] = async (since) => this.#list.changes(since);

  openLoop: Host["openLoop"] = async (key) => {
    const row = this.#row(key);
    const detail = this.#loops.detail(row);
    return {
      row,
      detail,
      parent: null,
      followed_by: [],
      documents: this.documents.list(row),
      last_good: row.word === "cannot_read" ? row.changed - 60_000 : null,
      recoverable: row.word === "cannot_read",
      work_revision: null,
      work_later: null,
    };
  };

  /** Samples are small: nothing of them is left out. */
  openOutline: Host["openOutline"] = (key) => this.openLoop(key);

  workPart: Host["workPart"] = async () => null;

  /** Samples are small: they are read as a whole. */
  workChanges: Host["workChanges"] = async () => null;

  source: Host["source"] = async (key, first, count) => {
    const row = this.#row(key);
    return linesPage(row.file, sampleSource(row), first, count);
  };

  document: Host["document"] = async (key, name, first, count) => {
    const row = this.#row(key);
    const lines = this.documents.lines(row, name);
    return linesPage(`${row.id}.progress/${name}`, lines, first, count);
  };

  overview: Host["overview"] = async (most) => {
    this.mayFail();
    const { needs } = await this.runs.needs();
    const opened = this.settings.opened ?? {};
    return sampleOverview(this.rows(), needs, { visited: this.visited, most, rules: this.rules, opened });
  };

  visitOverview: Host["visitOverview"] = async () => {
    this.visited = Date.now();
  };

  loopReport: Host["loopReport"] = async (key) => {
    const { needs } = await this.runs.needs();
    return sampleReport(this.#row(key), needs);
  };

  loopSummary: Host["loopSummary"] = async (key) => {
    const row = this.#row(key);
    const { needs } = await this.runs.needs();
    return { ...sampleReport(row, needs), account: sampleAccount(this.#loops.detail(row)) };
  };

  team: Host["team"] = async () => this.inTeam.read();

  joinTeam: Host["joinTeam"] = async () => {
    this.changing("join team");
    return this.inTeam.join();
  };

  tryTeam: Host["tryTeam"] = async () => {
    this.changing("try team");
    return this.inTeam.tryOut();
  };

  leaveTeam: Host["leaveTeam"] = async () => {
    this.changing("leave team");
    this.inTeam.leave();
  };

  shareFolder: Host["shareFolder"] = async (folder, scope, steering) => {
    this.changing(`share ${folder} ${scope ?? "nothing"} ${steering}`);
    this.inTeam.share(folder, scope, steering);
  };

  runPlaces: Host["runPlaces"] = async (folder) => structuredClone(this.inTeam.placesOf(folder));

  sendRun: Host["sendRun"] = async (form, target, ifGone) => {
    const where =
      target.kind === "any" ? `any ${target.memory_gb}` : `${target.seat.member}.${target.seat.machine}`;
    this.changing(`send to ${where} ${ifGone}`);
    return this.inTeam.send(form, target, ifGone);
  };

  takeInRun: Host["takeInRun"] = async (id) => {
    this.changing(`take in ${id}`);
    return this.inTeam.takeIn(id);
  };

  withdrawRun: Host["withdrawRun"] = async (id) => {
    this.changing(`withdraw ${id}`);
    this.inTeam.withdraw(id);
  };

  forgetRun: Host["forgetRun"] = async (id) => {
    this.changing(`forget ${id}`);
    this.inTeam.forget(id);
  };

  exportHistory: Host["exportHistory"] = async (id) => {
    this.asked.push(`export ${id}`);
    return 12;
  };

  importHistory: Host["importHistory"] = async (id) => {
    this.asked.push(`import ${id}`);
    this.mayFail();
    return { notes: 2, loops: 1, known: 4 };
  };

  compare: Host["compare"] = async (left, right) => {
    this.mayFail();
    const side = ({ key }: ComparedMoment) => this.#loops.detail(this.#row(key));
    return sampleComparison(side(left), side(right));
  };

  trends: Host["trends"] = async (query) => {
    this.mayFail();
    return sampleTrends(this.rows(), query);
  };

  attentionRules: Host["attentionRules"] = async () => this.rules;

  saveAttentionRules: Host["saveAttentionRules"] = async (rules) => {
    this.asked.push(`rules ${JSON.stringify(rules)}`);
    this.mayFail();
    this.rules = rules;
  };

  /** As if only long waits had happened. */
  tryAttentionRule: Host["tryAttentionRule"] = async ({ kind, limit }) => {
    const isSeldom = kind === "cost" || limit >= 60;
    const hits = this.rows()
      .slice(0, isSeldom ? 0 : 3)
      .map(({ title, changed }) => ({ title, at: changed }));
    return { days: 7, fired: hits.length, hits, partial: false };
  };

  loopNotes: Host["loopNotes"] = async (key) => this.#notes.get(key) ?? { note: "", labels: [] };

  keepNotes: Host["keepNotes"] = async (key, notes) => {
    this.asked.push(`notes ${JSON.stringify(notes)}`);
    this.mayFail();
    this.#notes.set(key, notes);
    this.#list.put({ ...this.#row(key), labels: notes.labels });
  };

  keepListMarks: Host["keepListMarks"] = async (wanted) => {
    this.changing(`marks ${JSON.stringify(wanted.map(({ marks }) => marks))}`);
    return this.#list.mark(wanted);
  };

  search: Host["search"] = async (text) => {
    this.mayFail();
    return sampleSearch(this.rows(), (row) => this.#loops.detail(row), text);
  };

  report: Host["report"] = async (keys, since, options) => {
    this.asked.push(`report ${JSON.stringify({ keys, since, options })}`);
    const rows = this.rows().filter((row) => keys === null || keys.includes(row.key));
    const markdown = sampleReportText(
      rows.filter((row) => since === null || row.changed >= since),
      options,
    );
    return { markdown, html: `<pre>${markdown}</pre>` };
  };

  tests: Host["tests"] = async (key, query) => testTable(this.#row(key), query);

  test: Host["test"] = async (key, run, index) => {
    const row = testRowsOf(this.#row(key), run)[index];
    return row ? testView(row) : null;
  };

  drawing: Host["drawing"] = async (key, direction, collapsed = []) =>
    drawn(this.#loops.detail(this.#row(key)), direction, collapsed);

  controls: Host["controls"] = async (key) => controlsOf(this.#row(key));

  act: Host["act"] = async (key, verb, options) => {
    this.changing(`act ${verb} ${JSON.stringify(options)}`);
    this.#loops.request(this.#row(key), verb, options);
    if (this.landAfter !== null) setTimeout(() => this.settle(), this.landAfter);
  };

  editMetadata: Host["editMetadata"] = async (key, patch) => {
    this.changing(`edit ${JSON.stringify(patch)}`);
    this.#loops.editMetadata(this.#row(key), patch);
  };

  change: Host["change"] = async (key, change) => {
    this.changing(`change ${JSON.stringify(change)}`);
    this.#loops.change(this.#row(key), change);
  };

  redirectEffects: Host["redirectEffects"] = async (key, change) =>
    sampleEffects(this.#loops.detail(this.#row(key)), change);

  undo: Host["undo"] = async (key) => {
    this.changing(`undo ${key}`);
    this.#loops.undo(this.#row(key));
  };

  recovery: Host["recovery"] = async (key) => sampleRecovery(this.#row(key));

  history: Host["history"] = async (key, limit) => this.#loops.history(this.#row(key), limit);

  pastChanges: Host["pastChanges"] = async (key, limit) => {
    const row = this.#row(key);
    // The samples tell of more verdicts than the few versions that are kept in memory; these have ids of their own.
    const told = samplePastChanges(row).map((one) => ({ ...one, id: -one.id }));
    return [...this.#loops.pastChanges(row, limit), ...told].sort((left, right) => right.at - left.at);
  };

  hypothesisChanges: Host["hypothesisChanges"] = async (key, limit) => {
    const row = this.#row(key);
    return row.format === "loop_b" ? samplePastChanges(row).slice(0, limit) : [];
  };

  atomSummary: Host["atomSummary"] = async (key, id) => {
    const { detail } = await this.openLoop(key);
    return detail.atoms.find((atom) => atom.id === id)?.summary ?? null;
  };

  documentHistory: Host["documentHistory"] = async (key, name, limit) =>
    this.documents.history(this.#row(key), name).slice(0, limit);

  documentVersion: Host["documentVersion"] = async (key, name, id, first, count) => {
    const row = this.#row(key);
    return linesPage(`${row.id}.progress/${name}`, this.documents.then(row, name, id), first, count);
  };

  timeline: Host["timeline"] = async (key) => this.#loops.timeline(this.#row(key));

  version: Host["version"] = async (key, id) => this.#loops.version(this.#row(key), id);

  versionSource: Host["versionSource"] = async (key, id, first, count) => {
    const row = this.#loops.rowThen(this.#row(key), id);
    return linesPage(row.file, sampleSource(row), first, count);
  };

  restore: Host["restore"] = async (key, id) => {
    this.changing(`restore ${id}`);
    this.#loops.restore(this.#row(key), id);
  };

  deletion: Host["deletion"] = async (key) => {
    const { file } = this.#row(key);
    return {
      files: [file, file.replace(/\.json$/, ".tasks.jsonl"), file.replace(/\.json$/, ".progress")],
      restorable: true,
    };
  };

  deleteLoop: Host["deleteLoop"] = async (key) => {
    this.changing(`delete ${key}`);
    const deletion = await this.deletion(key);
    this.#deleted.set(key, this.#row(key));
    this.remove(key);
    return deletion;
  };

  restoreDeleted: Host["restoreDeleted"] = async (key) => {
    this.changing(`restore deleted ${key}`);
    const row = this.#deleted.get(key);
    if (row) this.put(row);
  };

  pickWorkspace: Host["pickWorkspace"] = async () => {
    this.changing("pick");
    if (this.pickedFolder === null) return null;
    return this.addWorkspace(this.pickedFolder);
  };

  addWorkspace: Host["addWorkspace"] = async (path) => {
    this.changing(`add ${path}`);
    return this.#list.addWorkspace(path);
  };

  removeWorkspace: Host["removeWorkspace"] = async (id) => {
    this.changing(`remove ${id}`);
    this.#list.removeWorkspace(id);
  };

  openSample: Host["openSample"] = async () => {
    this.changing("sample");
    this.fill(sampleRows(Date.now()), SAMPLE_WORKSPACES);
    return "w1";
  };

  rescan: Host["rescan"] = async () => this.changing("rescan");

  sights: Host["sights"] = async (key, names) => {
    this.#row(key);
    return names.map((name) => sightOf(name, this.missing));
  };

  openPlace: Host["openPlace"] = async (key, file, line, column) => {
    this.#row(key);
    this.changing(`place ${[file, line, column].filter((part) => part !== null).join(":")}`);
  };

  link: Host["link"] = async (key, tab, item) => {
    const named = Object.entries({ tab, item }).filter((pair): pair is [string, string] => pair[1] !== null);
    const query = named.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join("&");
    return `loopdeck:///home/ana/code/${this.#row(key).file}${query === "" ? "" : `?${query}`}`;
  };

  #row(key: string): LoopRow {
    return this.#list.row(key);
  }
}

export const SAMPLE_WORKSPACES: readonly WorkspaceView[] = [
  workspaceView("w1", "storefront", "~/code/storefront"),
  workspaceView("w2", "billing-core", "~/code/billing-core"),
  workspaceView("w3", "docs-site", "~/code/docs-site"),
];

export { sampleRows, manyRows };
