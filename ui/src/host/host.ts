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
  IfGone,
  ImportedHistory,
  LookedUpPath,
  LoopChange,
  LoopNotes,
  LoopPage,
  LoopReport,
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
  WorkChange,
  WorkPart,
} from "./bindings";
import type { RunHost } from "./run-host";

/** A link to a place in a loop was opened from outside the page. Tab and item are as the link has them: untrusted. */
export type Linked = Extract<Push, { kind: "linked" }>;

/** The window is to be closed, or everything stopped, while loops run. */
export type Closing = Extract<Push, { kind: "closing" }>;

/**
 * Everything the window can ask of the backend. A failing operation rejects with a `Failure`.
 * Operations that change something only confirm that they were taken: the new state arrives as a
 * change.
 */
export interface Host {
  /** Everything about running loops. */
  readonly runs: RunHost;

  startup(): Promise<Startup>;
  /** The first list is on screen. */
  painted(): Promise<void>;
  /**
   * From now on the window hears that there is something newer, and what reached it from outside
   * the page.
   */
  subscribe(onPush: (push: Push) => void): Promise<void>;
  changes(since: number): Promise<Changes>;

  openLoop(key: string): Promise<LoopPage>;
  /** The same without the atoms and units of a large graph, which are asked for next: `work_later`. */
  openOutline(key: string): Promise<LoopPage>;
  /** What an outline of this revision leaves out; null when the whole page is to be read. */
  workPart(key: string, revision: number): Promise<WorkPart | null>;
  /** What changed in a large graph after a revision; null when the whole page is to be read. */
  workChanges(key: string, since: number): Promise<WorkChange | null>;
  source(key: string, first: number, count: number): Promise<SourcePage>;
  document(key: string, name: string, first: number, count: number): Promise<SourcePage>;
  /** Lines of the table of one test run. */
  tests(key: string, query: TestQuery): Promise<TestTablePage>;
  /** One test with message and stack and the places they name; nothing when the run has no such test. */
  test(key: string, run: number, index: number): Promise<TestView | null>;
  /** Where the atoms or tasks of a loop are drawn; `collapsed` names containers whose children are not. */
  drawing(key: string, direction: Direction, collapsed: string[]): Promise<Drawing>;

  /** All loops as a lead sees them, at most `most` of each section. */
  overview(most: number): Promise<Overview>;
  /** The person has looked at the overview: what changes from now on is new. */
  visitOverview(): Promise<void>;
  /** One loop as a lead sees it. */
  loopReport(key: string): Promise<LoopReport>;
  /** What happened in a loop, at any moment of it. */
  loopSummary(key: string): Promise<LoopSummary>;
  /** A report about some loops, or all, that changed at or after a time, in every format. */
  report(keys: string[] | null, since: number | null, options: ReportOptions): Promise<ReportTexts>;

  /** Loops that have all words of a text, from the `from`th one that may have them. */
  search(text: string, from: number): Promise<SearchAnswer>;

  /** The team, and what this machine shares. */
  team(): Promise<TeamPage>;
  /** Asks for an invitation and joins; false when the person cancels. */
  joinTeam(): Promise<boolean>;
  /** Tries the invitation of this machine, or before it joined one that the person chooses; null when they cancel. */
  tryTeam(): Promise<TriedTeam | null>;
  /** What this machine shared is no longer updated, and the copies of others' loops are removed. */
  leaveTeam(): Promise<void>;
  /** Shares an open folder; nothing of it when `scope` is null. */
  shareFolder(folder: string, scope: Scope | null, steering: Steering): Promise<void>;
  /** The machines on which a loop of a folder can run, besides this one. */
  runPlaces(folder: string): Promise<RunPlaces>;
  /** Has the loop of a form run on another machine; answers the id of the job. */
  sendRun(form: StartForm, target: Target, ifGone: IfGone): Promise<string>;
  /** Makes a branch of what came of a job, and checks nothing out; answers its name. */
  takeInRun(id: string): Promise<string>;
  /** Wants a job no longer. */
  withdrawRun(id: string): Promise<void>;
  /** Removes a job that is over from the list, and what came of it; its loop stays. */
  forgetRun(id: string): Promise<void>;

  /** Asks where to save what is kept about the loops of a folder; the number of lines, null when the person cancels. */
  exportHistory(id: string): Promise<number | null>;
  /** Asks for such a file and takes it in; null when the person cancels. */
  importHistory(id: string): Promise<ImportedHistory | null>;
  /** Two loops, or two moments of one, side by side. */
  compare(left: ComparedMoment, right: ComparedMoment): Promise<SideBySide>;
  /** What is counted of loops and runs, day by day. */
  trends(query: TrendQuery): Promise<Trends>;

  /** What the person counts as needing them. */
  attentionRules(): Promise<AttentionRule[]>;
  saveAttentionRules(rules: AttentionRule[]): Promise<void>;
  /** What a rule would have done in the last week. */
  tryAttentionRule(rule: AttentionRule): Promise<RuleTrial>;

  /** Note and labels of a loop. */
  loopNotes(key: string): Promise<LoopNotes>;
  keepNotes(key: string, notes: LoopNotes): Promise<void>;

  controls(key: string): Promise<Control[]>;
  act(key: string, verb: Verb, options: VerbOptions): Promise<void>;
  editMetadata(key: string, patch: MetadataPatch): Promise<void>;
  /**
   * A change beyond the verbs: a repair, a recovery, a step of the work, the task list next to the
   * loop.
   */
  change(key: string, change: LoopChange): Promise<void>;
  /** What a change of direction would do to an AoT loop; rejects with the refusal it would get. Nothing is written. */
  redirectEffects(key: string, change: AotChange): Promise<AotEffects>;
  /** Takes back Loopdeck's last write, unless another program has written since. */
  undo(key: string): Promise<void>;
  /** What remains of a damaged file, and what it can become. */
  recovery(key: string): Promise<RecoveryPage>;

  /** Kept versions, newest first. */
  history(key: string, limit: number): Promise<VersionView[]>;
  /** What each of them changed. */
  pastChanges(key: string, limit: number): Promise<PastChange[]>;
  /** What kept versions of a progress text changed about hypotheses, where only that text has them. */
  hypothesisChanges(key: string, limit: number): Promise<PastChange[]>;
  /** The whole result of an atom, of which the page may have only the beginning. */
  atomSummary(key: string, id: string): Promise<string | null>;
  /** Kept versions of a document, newest first: what Loopdeck wrote, and what that replaced. */
  documentHistory(key: string, name: string, limit: number): Promise<VersionView[]>;
  documentVersion(key: string, name: string, id: number, first: number, count: number): Promise<SourcePage>;
  /** What happened to the loop, and the versions that show it as it was then. */
  timeline(key: string): Promise<TimelinePage>;
  version(key: string, id: number): Promise<VersionPage>;
  versionSource(key: string, id: number, first: number, count: number): Promise<SourcePage>;
  /** Puts a kept version back; what it replaces is kept. */
  restore(key: string, id: number): Promise<void>;

  /** What a deletion would move to the trash. */
  deletion(key: string): Promise<Deletion>;
  deleteLoop(key: string): Promise<Deletion>;

  /** Asks for a folder with the system's dialog and opens it; null when nothing was chosen. */
  pickWorkspace(): Promise<string | null>;
  addWorkspace(path: string): Promise<string>;
  removeWorkspace(id: string): Promise<void>;
  openSample(): Promise<void>;
  rescan(): Promise<void>;

  /** What becomes of the runs, and of the window that is being closed. */
  closeWindow(how: ClosingAnswer): Promise<void>;
  saveSettings(settings: Settings): Promise<void>;
  /** Keeps what the list looks like for the next start, as text; null when there is nothing to show then. */
  keepLastList(picture: string | null): Promise<void>;
  /** Whether Loopdeck starts when the person signs in; null where that can’t be arranged. */
  startsAtSignIn(): Promise<boolean | null>;
  startAtSignIn(on: boolean): Promise<void>;
  openFile(key: string): Promise<void>;
  openFolder(key: string): Promise<void>;
  openWorkspaceFolder(id: string): Promise<void>;
  /** Whether files that a loop names can be opened; a name may end in a line and a column. */
  sights(key: string, names: string[]): Promise<LookedUpPath[]>;
  /** Opens a file that a loop names in the person's editor. */
  openPlace(key: string, file: string, line: number | null, column: number | null): Promise<void>;
  /** The editors of this computer. */
  editors(): Promise<Editors>;
  /** Opens a text in an editor, to see whether it works. */
  tryEditor(choice: EditorChoice, text: string): Promise<void>;
  /** Opens a web or mail address with the desktop. */
  openAddress(address: string): Promise<void>;
  /** Asks where to save; null when the person cancels, else the path for display. */
  saveAs(name: string, bytes: Uint8Array): Promise<string | null>;
  /** A link to a place in a loop, to paste into a chat. */
  link(key: string, tab: string | null, item: string | null): Promise<string>;
  /** What a person copies into a report of a problem. */
  diagnostics(): Promise<string>;
  /** The version that is newer than this one, if there is one; asks the place that this build was told. */
  checkForUpdate(): Promise<NewVersion | null>;
  /** Puts the newest version in the place of this one, for the next start. */
  installUpdate(): Promise<void>;
}
