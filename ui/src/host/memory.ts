import type {
  Changes,
  Control,
  Deletion,
  Failure,
  LoopChange,
  LoopDetail,
  LoopPage,
  LoopRow,
  MetadataPatch,
  RecoveryPage,
  RepairCode,
  Settings,
  SourcePage,
  Startup,
  StatusWord,
  TestPage,
  Push,
  Verb,
  VerbOptions,
  VersionPage,
  VersionView,
  Watching,
  WorkspaceView,
  WriteCause,
} from "./bindings";
import type { Host } from "./host";
import { sampleTests } from "./sample-ccw";
import { changedDetail } from "./sample-changes";
import { sampleDetail, sampleSource } from "./sample-details";
import { SamplePast } from "./sample-past";
import { sampleRecovery } from "./sample-recovery";
import { manyRows, primaryOf, recoveredRow, sampleRows } from "./sample-rows";
import { controlsOf, groupOfWord, verbsOfWord } from "./sample-rules";

const PAGE = 500;

interface Landing {
  readonly word: StatusWord;
  readonly fileWord: string;
}

const LANDINGS: Readonly<Partial<Record<Verb, Landing>>> = {
  pause: { word: "paused", fileWord: "paused" },
  stop: { word: "stopped", fileWord: "failed" },
  start: { word: "running_elsewhere", fileWord: "running" },
  resume: { word: "running_elsewhere", fileWord: "running" },
  reopen: { word: "running_elsewhere", fileWord: "running" },
  finalise: { word: "stopped", fileWord: "stopped" },
};

function failure(kind: Failure["kind"], args: Record<string, string> = {}): Failure {
  return { kind, args, refusal: null };
}

function workspaceView(id: string, name: string, path: string): WorkspaceView {
  return {
    id,
    name,
    path,
    loops: 0,
    reachable: true,
    scanned: true,
    sample: false,
    orphans: [],
    orphans_total: 0,
  };
}

/** A host that lives in memory: for tests, and for the page in a plain browser. */
export class MemoryHost implements Host {
  settings: Settings = {};
  recent = [{ path: "/home/ana/code/archive", shown: "~/code/archive" }];
  watching: Watching = { folders: 3, polling: null, reason: null, checked: Date.now() };
  /** What was asked of the host, for tests. */
  readonly asked: string[] = [];
  /** Set to make the next operation that changes something fail. */
  failNext: Failure | null = null;
  /** How long a request stays “requested”; null waits for `settle`. */
  landAfter: number | null = null;
  pickedFolder: string | null = null;
  open: string | null = null;

  readonly #rows = new Map<string, LoopRow>();
  readonly #revisions = new Map<string, number>();
  readonly #removed = new Map<string, number>();
  readonly #details = new Map<string, Partial<LoopDetail>>();
  readonly #past = new SamplePast();
  #workspaces: WorkspaceView[] = [];
  #revision = 1;
  #onPush: (push: Push) => void = () => undefined;
  #landings: (() => void)[] = [];

  // ---- what tests and the browser do to it

  fill(rows: readonly LoopRow[], workspaces: readonly WorkspaceView[]): void {
    this.#workspaces = [...workspaces];
    for (const row of rows) this.put(row, false);
    this.#tick();
  }

  put(row: LoopRow, tell = true): void {
    this.#revision += 1;
    this.#rows.set(row.key, row);
    this.#revisions.set(row.key, this.#revision);
    this.#removed.delete(row.key);
    if (tell) this.#tick();
  }

  /** As if somebody had written the file. */
  write(key: string, patch: Partial<LoopRow>): void {
    const row = this.#row(key);
    this.put({ ...row, changed: Date.now(), ...patch });
  }

  remove(key: string): void {
    this.#revision += 1;
    this.#rows.delete(key);
    this.#removed.set(key, this.#revision);
    this.#tick();
  }

  detail(key: string, patch: Partial<LoopDetail>): void {
    this.#details.set(key, patch);
    this.write(key, {});
  }

  /** As if the desktop had said something to the window. */
  push(push: Push): void {
    this.#onPush(push);
  }

  rows(): LoopRow[] {
    return [...this.#rows.values()];
  }

  /** Lets every requested verb land. */
  settle(): void {
    for (const land of this.#landings.splice(0)) land();
  }

  // ---- Host

  async startup(): Promise<Startup> {
    return {
      version: "0.1.0",
      platform: "linux",
      settings: this.settings,
      recent: this.recent,
      open: this.open,
    };
  }

  async painted(): Promise<void> {
    this.asked.push("painted");
  }

  async subscribe(onPush: (push: Push) => void): Promise<void> {
    this.#onPush = onPush;
  }

  async changes(since: number): Promise<Changes> {
    const newer = [...this.#revisions].filter(([, revision]) => revision > since).sort((a, b) => a[1] - b[1]);
    const page = newer.slice(0, PAGE);
    const more = newer.length > page.length;
    const last = page.at(-1)?.[1] ?? this.#revision;
    return {
      revision: more ? last : this.#revision,
      more,
      reset: since === 0,
      rows: page.flatMap(([key]) => this.#rows.get(key) ?? []),
      removed: more ? [] : [...this.#removed].filter(([, revision]) => revision > since).map(([key]) => key),
      workspaces: this.#counted(),
      watching: this.watching,
      now: Date.now(),
    };
  }

  async openLoop(key: string): Promise<LoopPage> {
    const row = this.#row(key);
    const detail = this.#detail(row);
    const names = row.format === "loop_v2" ? ["develop.md", "debug.md", "validate.md"] : [];
    return {
      row,
      detail,
      documents: names.map((name) => ({
        name,
        file: `${row.id}.progress/${name}`,
        size: 1840,
        changed: row.changed,
      })),
      last_good: row.word === "cannot_read" ? row.changed - 60_000 : null,
    };
  }

  async source(key: string, first: number, count: number): Promise<SourcePage> {
    const row = this.#row(key);
    return this.#window(row.file, sampleSource(row), first, count);
  }

  async document(key: string, name: string, first: number, count: number): Promise<SourcePage> {
    const row = this.#row(key);
    const lines = [
      `# ${name}`,
      "",
      ...Array.from({ length: 60 }, (_, index) => `- Step ${index + 1} of ${row.title}`),
    ];
    return this.#window(`${row.id}.progress/${name}`, lines, first, count);
  }

  async testRows(key: string, _run: number, offset: number, limit: number): Promise<TestPage> {
    this.#row(key);
    const rows = sampleTests();
    return { total: rows.length, offset, rows: rows.slice(offset, offset + limit) };
  }

  async controls(key: string): Promise<Control[]> {
    return controlsOf(this.#row(key));
  }

  async act(key: string, verb: Verb, options: VerbOptions): Promise<void> {
    this.#changing(`act ${verb} ${JSON.stringify(options)}`);
    const row = this.#row(key);
    const control = controlsOf(row).find((one) => one.verb === verb);
    const raised = options.raise_limit_to ?? null;
    if (control?.refusal && !(control.refusal.code === "limit_reached" && raised)) {
      throw { ...failure("refused"), refusal: control.refusal };
    }
    const busy = row.agent === "elsewhere";
    const between: StatusWord | undefined =
      verb === "pause" ? "pausing" : verb === "stop" ? "stopping" : undefined;
    this.#become(row, busy && between ? between : row.word, row.file_word, {
      request: { verb, at: Date.now(), state: "requested", sent_again: 0 },
      ...(raised && row.iteration ? { iteration: { ...row.iteration, limit: raised } } : {}),
    });
    this.#landings.push(() => this.#land(key, verb));
    if (this.landAfter !== null) setTimeout(() => this.settle(), this.landAfter);
  }

  async editMetadata(key: string, patch: MetadataPatch): Promise<void> {
    this.#changing(`edit ${JSON.stringify(patch)}`);
    const row = this.#row(key);
    const limit = patch.max_iterations;
    this.#ours(row, "edit_metadata", {
      title: patch.title ?? row.title,
      tags: patch.tags ?? row.tags,
      priority: patch.priority ?? row.priority,
      iteration: limit && row.iteration ? { ...row.iteration, limit } : row.iteration,
    });
  }

  async change(key: string, change: LoopChange): Promise<void> {
    this.#changing(`change ${JSON.stringify(change)}`);
    const { detail } = await this.openLoop(key);
    this.detail(key, { ...this.#details.get(key), ...changedDetail(detail, change) });
  }

  async undo(key: string): Promise<void> {
    this.#changing(`undo ${key}`);
    const row = this.#row(key);
    const before = this.#past.beforeOurs(row);
    if (!before) throw failure("nothing_to_undo", { path: row.file });
    this.#details.set(key, before.patch);
    this.#ours(row, "undo", { ...before.row, changed: Date.now() });
  }

  async change(key: string, change: LoopChange): Promise<void> {
    const what = change.kind === "repair" ? change.repair : `${change.way} ${change.fingerprint}`;
    this.#changing(`${change.kind} ${what}`);
    const row = this.#row(key);
    if (change.kind === "recover") this.#ours(row, "recover", recoveredRow());
    else this.#repair(row, change.repair);
  }

  async recovery(key: string): Promise<RecoveryPage> {
    return sampleRecovery(this.#row(key));
  }

  async history(key: string, limit: number): Promise<VersionView[]> {
    return this.#past.history(this.#row(key), limit);
  }

  async version(key: string, id: number): Promise<VersionPage> {
    return this.#past.page(this.#kept(key, id));
  }

  async versionSource(key: string, id: number, first: number, count: number): Promise<SourcePage> {
    const { row } = this.#kept(key, id);
    return this.#window(row.file, sampleSource(row), first, count);
  }

  async restore(key: string, id: number): Promise<void> {
    this.#changing(`restore ${id}`);
    const kept = this.#kept(key, id);
    this.#details.set(key, kept.patch);
    this.#ours(this.#row(key), "restore", { ...kept.row, changed: Date.now() });
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
    const id = `w${this.#workspaces.length + 1}`;
    this.#workspaces.push(workspaceView(id, path.split("/").at(-1) ?? path, path));
    this.#revision += 1;
    this.#tick();
    return id;
  }

  async removeWorkspace(id: string): Promise<void> {
    this.#changing(`remove ${id}`);
    this.#workspaces = this.#workspaces.filter((workspace) => workspace.id !== id);
    for (const row of this.rows()) if (row.workspace === id) this.remove(row.key);
    this.#tick();
  }

  async openSample(): Promise<void> {
    this.#changing("sample");
    this.fill(sampleRows(Date.now()), SAMPLE_WORKSPACES);
  }

  async rescan(): Promise<void> {
    this.#changing("rescan");
  }

  async saveSettings(settings: Settings): Promise<void> {
    this.settings = settings;
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

  #detail(row: LoopRow): LoopDetail {
    return { ...sampleDetail(row), ...this.#details.get(row.key), controls: controlsOf(row) };
  }

  #kept(key: string, id: number) {
    const kept = this.#past.find(this.#row(key), id);
    if (!kept) throw failure("unknown_version");
    return kept;
  }

  /** A write of Loopdeck: what was there before and what is there now are kept. */
  #ours(row: LoopRow, cause: WriteCause, patch: Partial<LoopRow>): void {
    this.#past.keepReplaced(row, this.#details.get(row.key) ?? {});
    this.write(row.key, patch);
    this.#past.keep(this.#row(row.key), this.#details.get(row.key) ?? {}, cause);
  }

  #repair(row: LoopRow, code: RepairCode): void {
    const { problems, repairs } = this.#detail(row);
    const offer = repairs.find((one) => one.code === code);
    const refusal = offer ? offer.refusal : { code: "nothing_to_repair" as const, args: {} };
    if (refusal) throw { ...failure("refused"), refusal };
    if (code === "strip_trailing_garbage") return this.#ours(row, "repair", recoveredRow());
    this.#past.keepReplaced(row, this.#details.get(row.key) ?? {});
    this.#details.set(row.key, {
      ...this.#details.get(row.key),
      problems: problems.filter((problem) => !offer?.ends.includes(problem.code)),
      repairs: repairs.filter((one) => one !== offer),
    });
    this.#ours(row, "repair", {});
  }

  #row(key: string): LoopRow {
    const row = this.#rows.get(key);
    if (!row) throw failure("unknown_loop");
    return row;
  }

  #changing(what: string): void {
    this.asked.push(what);
    const planned = this.failNext;
    this.failNext = null;
    if (planned) throw planned;
  }

  #become(row: LoopRow, word: StatusWord, fileWord: string, more: Partial<LoopRow>): void {
    const verbs = verbsOfWord(word, row.format);
    const group = groupOfWord(word);
    this.write(row.key, {
      word,
      group,
      file_word: fileWord,
      verbs: [...verbs],
      primary: primaryOf(verbs),
      ...more,
    });
  }

  #land(key: string, verb: Verb): void {
    const row = this.#rows.get(key);
    if (row) this.#past.keepReplaced(row, this.#details.get(key) ?? {});
    const landing = LANDINGS[verb];
    if (!row?.request || !landing) return;
    this.#become(row, landing.word, landing.fileWord, {
      agent: landing.word === "running_elsewhere" ? "elsewhere" : "none",
      request: { ...row.request, state: "in_effect" },
      reason: verb === "stop" ? "Manually stopped by user" : null,
      limit: null,
    });
    this.#past.keep(this.#row(key), this.#details.get(key) ?? {}, verb === "delete" ? null : verb);
  }

  #window(file: string, lines: readonly string[], first: number, count: number): SourcePage {
    const start = Math.max(1, first);
    const size = lines.reduce((sum, line) => sum + line.length + 1, 0);
    return {
      file,
      first: start,
      lines: lines.slice(start - 1, start - 1 + count),
      total: lines.length,
      size,
      lossy: false,
    };
  }

  #counted(): WorkspaceView[] {
    return this.#workspaces.map((workspace) => ({
      ...workspace,
      loops: this.rows().filter((row) => row.workspace === workspace.id).length,
    }));
  }

  #tick(): void {
    this.#onPush({ kind: "tick", revision: this.#revision });
  }
}

export const SAMPLE_WORKSPACES: readonly WorkspaceView[] = [
  workspaceView("w1", "storefront", "~/code/storefront"),
  workspaceView("w2", "billing-core", "~/code/billing-core"),
  workspaceView("w3", "docs-site", "~/code/docs-site"),
];

export { sampleRows, manyRows };
