import type {
  AgentRow,
  ChangedFileRow,
  ChangedTexts,
  CustomAgentForm,
  Direction,
  DraftedLoop,
  DraftedWork,
  FolderFacts,
  FormDraft,
  FormProblem,
  FormTry,
  NeedAnswer,
  NewAtom,
  Needs,
  OutputPage,
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

/** What the window can ask about running loops. A failing operation rejects with a `Failure`. */
export interface RunHost {
  /** What Start would do, exactly. */
  reviewStart(form: StartForm): Promise<StartReview>;
  /** Writes the state file of a new loop and starts its agent; answers its key. */
  startLoop(form: StartForm): Promise<string>;
  /** What is known of a folder that a loop is to be started in. */
  folderFacts(path: string): Promise<FolderFacts>;
  /** What a pasted issue or task list fills into the form. */
  prefillForm(text: string): Promise<Prefill>;
  /** Where the first atoms of a new AoT loop are drawn, while they are typed. */
  draftWork(atoms: NewAtom[], direction: Direction): Promise<DraftedWork>;
  /** The form that would make a loop like this one. */
  formOf(key: string): Promise<StartForm>;
  /** The form that was left unfinished. */
  draft(): Promise<StartForm | null>;
  /** Keeps the form as it is now, or forgets it. */
  saveDraft(form: StartForm | null): Promise<void>;
  /** Forms saved under a name. */
  templates(): Promise<Template[]>;
  /** Saves a form under a name; one of the same name is replaced. */
  saveTemplate(template: Template): Promise<void>;
  /** Forgets a saved form. */
  deleteTemplate(name: string): Promise<void>;
  /** Lets programs of a folder be run, or no longer does. */
  trust(path: string, trusted: boolean): Promise<void>;
  /** Folders that the person trusts. */
  trusted(): Promise<RecentFolder[]>;
  /** How a loop was run last, or would be; for the empty key: how the last loop of all was started. */
  planOf(key: string): Promise<RunPlan>;
  reviewLaunch(key: string, plan: RunPlan): Promise<StartReview>;
  /** Starts the agent of a loop: first start, resume or reopen, whichever is legal now. */
  launch(key: string, plan: RunPlan | null, raiseLimitTo: number | null): Promise<void>;
  /** Pauses without waiting for the action to end: it is interrupted. */
  pauseNow(key: string): Promise<void>;
  /** Ends the processes of ours on a loop at once. */
  stopNow(key: string): Promise<void>;
  /** What a stop of a loop would end. */
  stopFacts(key: string): Promise<StopFacts>;
  /** Runs one command of the form once; answers when it is over. */
  tryCommand(wanted: FormTry): Promise<Tried>;
  /** Lets an agent draft an AoT loop; answers when it is over. `stopTry` ends it before. */
  draftLoop(wanted: FormDraft): Promise<DraftedLoop>;
  /** Ends it before. */
  stopTry(id: string): Promise<void>;
  /** What Loopdeck started for a loop, newest first. */
  runs(key: string): Promise<RunRow[]>;
  /** The results of the completion check of an AoT loop, newest first. */
  verifications(key: string): Promise<AotVerification[]>;
  /** Rows of the output of a run; of the newest one when none is named. */
  output(key: string, run: string | null, first: number, count: number): Promise<OutputPage>;
  /** The whole text of a row, at most 1 MB. */
  outputText(key: string, run: string, row: number): Promise<string>;
  /** The files that a run changed. */
  runChanges(run: string): Promise<ChangedFileRow[]>;
  /** The two versions of one of them, by its place. */
  runChange(run: string, file: number): Promise<ChangedTexts>;
  /** The next row that fits. */
  findOutput(key: string, run: string, search: OutputSearch): Promise<number | null>;
  /** What waits for the person, of all loops. */
  needs(): Promise<Needs>;
  /** The whole input of a permission whose card has only its beginning; it can be allowed from now on. */
  needInput(id: string): Promise<string>;
  /** The person answers. */
  answer(id: string, answer: NeedAnswer): Promise<void>;
  /** Agents that were found, and what is wrong with them. */
  agents(again: boolean): Promise<AgentRow[]>;
  /** Saves a custom agent, or says what is wrong with it. */
  saveAgent(agent: CustomAgentForm): Promise<FormProblem[]>;
  /** Forgets a custom agent. */
  removeAgent(id: string): Promise<void>;
  /** Uses this program for an agent; whatever is found when none is named. */
  setProgram(id: string, program: string | null): Promise<void>;
  /** Asks for a folder with the system's dialog; nothing is opened. */
  pickFolder(): Promise<string | null>;
  /** Asks for a program with the system's dialog. */
  pickProgram(): Promise<string | null>;
}
