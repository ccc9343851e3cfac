import type {
  AotChange,
  AotEffects,
  AttentionRule,
  Changes,
  ClosingAnswer,
  ComparedMoment,
  Control,
  Deletion,
  Direction,
  Drawing,
  EditorChoice,
  Editors,
  Failure,
  IfGone,
  ImportedHistory,
  LookedUpPath,
  LoopChange,
  LoopDetail,
  LoopNotes,
  LoopPage,
  LoopReport,
  LoopRow,
  LoopSummary,
  MetadataPatch,
  NewVersion,
  Overview,
  PastChange,
  Push,
  RecoveryPage,
  ReportOptions,
  ReportTexts,
  RuleTrial,
  RunPlaces,
  Scope,
  SearchAnswer,
  Settings,
  SideBySide,
  SourcePage,
  StartForm,
  Startup,
  Steering,
  Target,
  TeamPage,
  TestQuery,
  TestTablePage,
  TestView,
  TimelinePage,
  TrendQuery,
  Trends,
  TriedTeam,
  Verb,
  VerbOptions,
  VersionPage,
  VersionView,
  Watching,
  WorkspaceView,
} from "./bindings";
import type { Host } from "./host";
import { linesPage } from "./lines-page";
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
import { sampleEditors, sightOf, testView } from "./sample-places";
import { sampleSearch } from "./sample-search";
import { sampleComparison } from "./sample-compare";
import { sampleTrends } from "./sample-trends";
import { workLike } from "./sample-start";
import { testRowsOf, testTable } from "./sample-tests";

/** A host that lives in memory: for tests, and for the page in a plain browser. */
export class MemoryHost implements Host {
  settings: Settings = {};
  recent = [{ path: "/home/ana/code/archive", shown: "~/code/archive" }];
  /** What was asked of the host, for tests. */
  readonly asked: string[] = [];
  /** Set to make the next operation that changes something fail. */
  failNext: Failure | null = null;
  /** How long a request stays “requested”; null waits for `settle`. */
  landAfter: number | null = null;
  pickedFolder: string | null = null;
  open: string | null = null;
  newer: Failure | null = null;
  damaged: Failure[] = [];
  /** What the place for updates answers; nothing when this build knows none. */
  update: { readonly newest: string | null } | null = null;
  /** When the overview was looked at last. */
  visited: number | null = null;
  /** The editors of this computer. */
  editorsHere: Editors = sampleEditors();
  /** Whether it starts when the person signs in; null where that can’t be arranged. */
  signIn: boolean | null = false;
  /** Files that are not in a workspace; all others are. */
  readonly missing = new Set<string>();
  /** Where the person saves; null when they cancel. */
  savedAs: string | null = "~/Downloads";
  /** Texts that were saved. */
  readonly saved: string[] = [];

  /** Running loops. */
  readonly runs = new MemoryRuns();
  /** The team; this machine belongs to none at first. */
  readonly inTeam = new MemoryTeam();

  readonly #list = new MemoryList();
  readonly #loops = new MemoryLoops(this.#list);
  rules: AttentionRule[] = [];
  readonly #notes = new Map<string, LoopNotes>();
  /** The files next to the loops. */
  readonly documents = new SampleDocuments();

  constructor() {
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

  async startup(): Promise<Startup> {
    return {
      version: "0.1.0",
      platform: "linux",
      settings: this.settings,
      recent: this.recent,
      newer: this.newer,
      damaged: this.damaged,
      updates: this.update !== null,
      open: this.open,
    };
  }

  async painted(): Promise<void> {
    this.asked.push("painted");
  }

  async subscribe(onPush: (push: Push) => void): Promise<void> {
    this.#list.onPush = onPush;
  }

  async changes(since: number): Promise<Changes> {
    return this.#list.changes(since);
  }

  async openLoop(key: string): Promise<LoopPage> {
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
  }

  /** Samples are small: nothing of them is left out. */
  openOutline(key: string): Promise<LoopPage> {
    return this.openLoop(key);
  }

  workPart: Host["workPart"] = async () => null;

  /** Samples are small: they are read as a whole. */
  workChanges: Host["workChanges"] = async () => null;

  async source(key: string, first: number, count: number): Promise<SourcePage> {
    const row = this.#row(key);
    return linesPage(row.file, sampleSource(row), first, count);
  }

  async document(key: string, name: string, first: number, count: number): Promise<SourcePage> {
    const row = this.#row(key);
    const lines = this.documents.lines(row, name);
    return linesPage(`${row.id}.progress/${name}`, lines, first, count);
  }

  async overview(most: number): Promise<Overview> {
    if (this.failNext) {
      const failed = this.failNext;
      this.failNext = null;
      throw failed;
    }
    const { needs } = await this.runs.needs();
    return sampleOverview(this.rows(), needs, { visited: this.visited, most, rules: this.rules });
  }

  async visitOverview(): Promise<void> {
    this.visited = Date.now();
  }

  async loopReport(key: string): Promise<LoopReport> {
    const { needs } = await this.runs.needs();
    return sampleReport(this.#row(key), needs);
  }

  async loopSummary(key: string): Promise<LoopSummary> {
    const row = this.#row(key);
    const { needs } = await this.runs.needs();
    return { ...sampleReport(row, needs), account: sampleAccount(this.#loops.detail(row)) };
  }

  async team(): Promise<TeamPage> {
    return this.inTeam.read();
  }

  async joinTeam(): Promise<boolean> {
    this.#changing("join team");
    return this.inTeam.join();
  }

  async tryTeam(): Promise<TriedTeam | null> {
    this.#changing("try team");
    return this.inTeam.tryOut();
  }

  async leaveTeam(): Promise<void> {
    this.#changing("leave team");
    this.inTeam.leave();
  }

  async shareFolder(folder: string, scope: Scope | null, steering: Steering): Promise<void> {
    this.#changing(`share ${folder} ${scope ?? "nothing"} ${steering}`);
    this.inTeam.share(folder, scope, steering);
  }

  async runPlaces(folder: string): Promise<RunPlaces> {
    return structuredClone(this.inTeam.placesOf(folder));
  }

  async sendRun(form: StartForm, target: Target, ifGone: IfGone): Promise<string> {
    const where =
      target.kind === "any" ? `any ${target.memory_gb}` : `${target.seat.member}.${target.seat.machine}`;
    this.#changing(`send to ${where} ${ifGone}`);
    return this.inTeam.send(form, target, ifGone);
  }

  async takeInRun(id: string): Promise<string> {
    this.#changing(`take in ${id}`);
    return this.inTeam.takeIn(id);
  }

  async withdrawRun(id: string): Promise<void> {
    this.#changing(`withdraw ${id}`);
    this.inTeam.withdraw(id);
  }

  async forgetRun(id: string): Promise<void> {
    this.#changing(`forget ${id}`);
    this.inTeam.forget(id);
  }

  async exportHistory(id: string): Promise<number | null> {
    this.asked.push(`export ${id}`);
    return 12;
  }

  async importHistory(id: string): Promise<ImportedHistory | null> {
    this.asked.push(`import ${id}`);
    if (this.failNext) {
      const failed = this.failNext;
      this.failNext = null;
      throw failed;
    }
    return { notes: 2, loops: 1, known: 4 };
  }

  async compare(left: ComparedMoment, right: ComparedMoment): Promise<SideBySide> {
    if (this.failNext) {
      const failed = this.failNext;
      this.failNext = null;
      throw failed;
    }
    const side = ({ key }: ComparedMoment) => this.#loops.detail(this.#row(key));
    return sampleComparison(side(left), side(right));
  }

  async trends(query: TrendQuery): Promise<Trends> {
    if (this.failNext) {
      const failed = this.failNext;
      this.failNext = null;
      throw failed;
    }
    return sampleTrends(this.rows(), query);
  }

  attentionRules: Host["attentionRules"] = async () => this.rules;

  async saveAttentionRules(rules: AttentionRule[]): Promise<void> {
    this.asked.push(`rules ${JSON.stringify(rules)}`);
    if (this.failNext) {
      const failed = this.failNext;
      this.failNext = null;
      throw failed;
    }
    this.rules = rules;
  }

  /** As if only long waits had happened. */
  async tryAttentionRule({ kind, limit }: AttentionRule): Promise<RuleTrial> {
    const isSeldom = kind === "cost" || limit >= 60;
    const hits = this.rows()
      .slice(0, isSeldom ? 0 : 3)
      .map(({ title, changed }) => ({ title, at: changed }));
    return { days: 7, fired: hits.length, hits, partial: false };
  }

  async loopNotes(key: string): Promise<LoopNotes> {
    return this.#notes.get(key) ?? { note: "", labels: [] };
  }

  async keepNotes(key: string, notes: LoopNotes): Promise<void> {
    this.asked.push(`notes ${JSON.stringify(notes)}`);
    if (this.failNext) {
      const failed = this.failNext;
      this.failNext = null;
      throw failed;
    }
    this.#notes.set(key, notes);
    this.#list.put({ ...this.#row(key), labels: notes.labels });
  }

  async search(text: string): Promise<SearchAnswer> {
    if (this.failNext) {
      const failed = this.failNext;
      this.failNext = null;
      throw failed;
    }
    return sampleSearch(this.rows(), (row) => this.#loops.detail(row), text);
  }

  async report(keys: string[] | null, since: number | null, options: ReportOptions): Promise<ReportTexts> {
    this.asked.push(`report ${JSON.stringify({ keys, since, options })}`);
    const rows = this.rows().filter((row) => keys === null || keys.includes(row.key));
    const markdown = sampleReportText(
      rows.filter((row) => since === null || row.changed >= since),
      options,
    );
    return { markdown, html: `<pre>${markdown}</pre>` };
  }

  async tests(key: string, query: TestQuery): Promise<TestTablePage> {
    return testTable(this.#row(key), query);
  }

  async test(key: string, run: number, index: number): Promise<TestView | null> {
    const row = testRowsOf(this.#row(key), run)[index];
    return row ? testView(row) : null;
  }

  async drawing(key: string, direction: Direction, collapsed: string[] = []): Promise<Drawing> {
    return drawn(this.#loops.detail(this.#row(key)), direction, collapsed);
  }

  async controls(key: string): Promise<Control[]> {
    return controlsOf(this.#row(key));
  }

  async act(key: string, verb: Verb, options: VerbOptions): Promise<void> {
    this.#changing(`act ${verb} ${JSON.stringify(options)}`);
    this.#loops.request(this.#row(key), verb, options);
    if (this.landAfter !== null) setTimeout(() => this.settle(), this.landAfter);
  }

  async editMetadata(key: string, patch: MetadataPatch): Promise<void> {
    this.#changing(`edit ${JSON.stringify(patch)}`);
    this.#loops.editMetadata(this.#row(key), patch);
  }

  async change(key: string, change: LoopChange): Promise<void> {
    this.#changing(`change ${JSON.stringify(change)}`);
    this.#loops.change(this.#row(key), change);
  }

  async redirectEffects(key: string, change: AotChange): Promise<AotEffects> {
    return sampleEffects(this.#loops.detail(this.#row(key)), change);
  }

  async undo(key: string): Promise<void> {
    this.#changing(`undo ${key}`);
    this.#loops.undo(this.#row(key));
  }

  async recovery(key: string): Promise<RecoveryPage> {
    return sampleRecovery(this.#row(key));
  }

  async history(key: string, limit: number): Promise<VersionView[]> {
    return this.#loops.history(this.#row(key), limit);
  }

  async pastChanges(key: string, limit: number): Promise<PastChange[]> {
    const row = this.#row(key);
    // The samples tell of more verdicts than the few versions that are kept in memory; these have ids of their own.
    const told = samplePastChanges(row).map((one) => ({ ...one, id: -one.id }));
    return [...this.#loops.pastChanges(row, limit), ...told].sort((left, right) => right.at - left.at);
  }

  async hypothesisChanges(key: string, limit: number): Promise<PastChange[]> {
    const row = this.#row(key);
    return row.format === "loop_b" ? samplePastChanges(row).slice(0, limit) : [];
  }

  async atomSummary(key: string, id: string): Promise<string | null> {
    const { detail } = await this.openLoop(key);
    return detail.atoms.find((atom) => atom.id === id)?.summary ?? null;
  }

  async documentHistory(key: string, name: string, limit: number): Promise<VersionView[]> {
    return this.documents.history(this.#row(key), name).slice(0, limit);
  }

  async documentVersion(
    key: string,
    name: string,
    id: number,
    first: number,
    count: number,
  ): Promise<SourcePage> {
    const row = this.#row(key);
    return linesPage(`${row.id}.progress/${name}`, this.documents.then(row, name, id), first, count);
  }

  async timeline(key: string): Promise<TimelinePage> {
    return this.#loops.timeline(this.#row(key));
  }

  async version(key: string, id: number): Promise<VersionPage> {
    return this.#loops.version(this.#row(key), id);
  }

  async versionSource(key: string, id: number, first: number, count: number): Promise<SourcePage> {
    const row = this.#loops.rowThen(this.#row(key), id);
    return linesPage(row.file, sampleSource(row), first, count);
  }

  async restore(key: string, id: number): Promise<void> {
    this.#changing(`restore ${id}`);
    this.#loops.restore(this.#row(key), id);
  }

  async deletion(key: string): Promise<Deletion> {
    const { file } = this.#row(key);
    return { files: [file, file.replace(/\.json$/, ".tasks.jsonl"), file.replace(/\.json$/, ".progress")] };
  }

  async deleteLoop(key: string): Promise<Deletion> {
    this.#changing(`delete ${key}`);
    const deletion = await this.deletion(key);
    this.remove(key);
    return deletion;
  }

  async pickWorkspace(): Promise<string | null> {
    this.#changing("pick");
    if (this.pickedFolder === null) return null;
    return this.addWorkspace(this.pickedFolder);
  }

  async addWorkspace(path: string): Promise<string> {
    this.#changing(`add ${path}`);
    return this.#list.addWorkspace(path);
  }

  async removeWorkspace(id: string): Promise<void> {
    this.#changing(`remove ${id}`);
    this.#list.removeWorkspace(id);
  }

  async openSample(): Promise<void> {
    this.#changing("sample");
    this.fill(sampleRows(Date.now()), SAMPLE_WORKSPACES);
  }

  async rescan(): Promise<void> {
    this.#changing("rescan");
  }

  async closeWindow(how: ClosingAnswer): Promise<void> {
    this.asked.push(`close ${how}`);
  }

  lastList: string | null = null;

  async keepLastList(picture: string | null): Promise<void> {
    this.lastList = picture;
  }

  async saveSettings(settings: Settings): Promise<void> {
    this.settings = settings;
  }

  async startsAtSignIn(): Promise<boolean | null> {
    return this.signIn;
  }

  async startAtSignIn(on: boolean): Promise<void> {
    this.#changing(`sign-in ${on}`);
    this.signIn = on;
  }

  async openFile(key: string): Promise<void> {
    this.#changing(`file ${key}`);
  }

  async openWorkspaceFolder(id: string): Promise<void> {
    this.asked.push(`openWorkspaceFolder ${id}`);
  }

  async openFolder(key: string): Promise<void> {
    this.#changing(`folder ${key}`);
  }

  async sights(key: string, names: string[]): Promise<LookedUpPath[]> {
    this.#row(key);
    return names.map((name) => sightOf(name, this.missing));
  }

  async openPlace(key: string, file: string, line: number | null, column: number | null): Promise<void> {
    this.#row(key);
    this.#changing(`place ${[file, line, column].filter((part) => part !== null).join(":")}`);
  }

  async editors(): Promise<Editors> {
    return this.editorsHere;
  }

  async tryEditor(choice: EditorChoice, text: string): Promise<void> {
    this.#changing(`try ${JSON.stringify(choice)} ${text.split("\n").length}`);
  }

  async openAddress(address: string): Promise<void> {
    this.#changing(`address ${address}`);
  }

  async saveAs(name: string, bytes: Uint8Array): Promise<string | null> {
    this.saved.push(new TextDecoder().decode(bytes));
    this.#changing(`save ${name} ${bytes.length}`);
    return this.savedAs === null ? null : `${this.savedAs}/${name}`;
  }

  async checkForUpdate(): Promise<NewVersion | null> {
    this.#changing("check for update");
    return this.update?.newest ? { version: this.update.newest } : null;
  }

  async installUpdate(): Promise<void> {
    this.#changing("install update");
  }

  async diagnostics(): Promise<string> {
    return "Loopdeck in memory";
  }

  async link(key: string, tab: string | null, item: string | null): Promise<string> {
    const named = Object.entries({ tab, item }).filter((pair): pair is [string, string] => pair[1] !== null);
    const query = named.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join("&");
    return `loopdeck:///home/ana/code/${this.#row(key).file}${query === "" ? "" : `?${query}`}`;
  }

  #row(key: string): LoopRow {
    return this.#list.row(key);
  }

  #changing(what: string): void {
    this.asked.push(what);
    const planned = this.failNext;
    this.failNext = null;
    if (planned) throw planned;
  }
}

export const SAMPLE_WORKSPACES: readonly WorkspaceView[] = [
  workspaceView("w1", "storefront", "~/code/storefront"),
  workspaceView("w2", "billing-core", "~/code/billing-core"),
  workspaceView("w3", "docs-site", "~/code/docs-site"),
];

export { sampleRows, manyRows };
