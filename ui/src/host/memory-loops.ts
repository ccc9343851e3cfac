import type {
  LoopChange,
  LoopDetail,
  LoopRow,
  MetadataPatch,
  PastChange,
  RepairCode,
  StatusWord,
  TimelinePage,
  Verb,
  VerbOptions,
  VersionPage,
  VersionView,
  WriteCause,
} from "./bindings";
import { failure, type MemoryList } from "./memory-list";
import { changedDetail, type WorkChange } from "./sample-changes";
import { sampleDetail } from "./sample-details";
import { SamplePast } from "./sample-past";
import { primaryOf, recoveredRow } from "./sample-rows";
import { withWork } from "./sample-units";
import { controlsOf, groupOfWord, verbsOfWord } from "./sample-rules";

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

/** Our own agent ended with it. */
function endedRun({ run }: LoopRow, verb: Verb): LoopRow["run"] {
  if (!run?.alive || !["pause", "stop"].includes(verb)) return run;
  const stop = verb === "stop" ? { result: "all_gone" as const, ended: 4 } : run.stop;
  return { ...run, alive: false, action: null, stop };
}

/** What the loops of memory say beyond their rows, how they are written, and what they said before. */
export class MemoryLoops {
  readonly #list: MemoryList;
  readonly #details = new Map<string, Partial<LoopDetail>>();
  readonly #past = new SamplePast();
  #landings: (() => void)[] = [];

  constructor(list: MemoryList) {
    this.#list = list;
  }

  /** As if the file said this. */
  say(key: string, patch: Partial<LoopDetail>): void {
    this.#details.set(key, patch);
    this.#list.write(key, {});
  }

  detail(row: LoopRow): LoopDetail {
    const said = this.#details.get(row.key);
    const detail = { ...sampleDetail(row), ...said, controls: controlsOf(row) };
    return said ? withWork(detail) : detail;
  }

  // ---- verbs

  request(row: LoopRow, verb: Verb, options: VerbOptions): void {
    const control = controlsOf(row).find((one) => one.verb === verb);
    const raised = options.raise_limit_to ?? null;
    if (control?.refusal && !(control.refusal.code === "limit_reached" && raised)) {
      throw { ...failure("refused"), refusal: control.refusal };
    }
    if (verb === "delete") return; // no request, and nothing that could be undone by others
    const busy = row.agent === "elsewhere" || row.run?.alive === true || row.runner !== null;
    const between: StatusWord | undefined =
      verb === "pause" ? "pausing" : verb === "stop" ? "stopping" : undefined;
    this.#become(row, busy && between ? between : row.word, row.file_word, {
      request: { verb, at: Date.now(), state: "requested", sent_again: 0, overruled_at: null, asker: null },
      ...(raised && row.iteration ? { iteration: { ...row.iteration, limit: raised } } : {}),
    });
    this.#landings.push(() => this.#landVerb(row.key, verb));
  }

  /** Lets every requested verb land. */
  settle(): void {
    for (const land of this.#landings.splice(0)) land();
  }

  // ---- writes

  editMetadata(row: LoopRow, patch: MetadataPatch): void {
    const limit = patch.max_iterations;
    this.#writeOurs(row, "edit_metadata", {
      title: patch.title ?? row.title,
      tags: patch.tags ?? row.tags,
      priority: patch.priority ?? row.priority,
      iteration: limit && row.iteration ? { ...row.iteration, limit } : row.iteration,
    });
  }

  change(row: LoopRow, change: LoopChange): void {
    if (change.kind === "recover") this.#writeOurs(row, "recover", recoveredRow());
    else if (change.kind === "repair") this.#repair(row, change.repair);
    else this.#changeWork(row, change);
  }

  undo(row: LoopRow): void {
    const before = this.#past.beforeOurs(row);
    if (!before) throw failure("nothing_to_undo", { path: row.file });
    this.#details.set(row.key, before.patch);
    this.#writeOurs(row, "undo", { ...before.row, changed: Date.now() });
  }

  restore(row: LoopRow, id: number): void {
    const kept = this.#keptVersion(row, id);
    this.#details.set(row.key, kept.patch);
    this.#writeOurs(row, "restore", { ...kept.row, changed: Date.now() });
  }

  // ---- the past

  history(row: LoopRow, limit: number): VersionView[] {
    return this.#past.history(row, limit);
  }

  pastChanges(row: LoopRow, limit: number): PastChange[] {
    return this.#past.changes(row, limit);
  }

  timeline(row: LoopRow): TimelinePage {
    return this.#past.timeline(row, this.detail(row));
  }

  version(row: LoopRow, id: number): VersionPage {
    return this.#past.page(this.#keptVersion(row, id), row);
  }

  /** The row as that version has it. */
  rowThen(row: LoopRow, id: number): LoopRow {
    return this.#keptVersion(row, id).row;
  }

  #keptVersion(row: LoopRow, id: number) {
    const kept = this.#past.find(row, id);
    if (!kept) throw failure("unknown_version");
    return kept;
  }

  /** A write of Loopdeck: what was there before and what is there now are kept. */
  #writeOurs(row: LoopRow, cause: WriteCause, patch: Partial<LoopRow>, says?: Partial<LoopDetail>): void {
    this.#past.keepReplaced(row, this.#details.get(row.key) ?? {});
    if (says) this.#details.set(row.key, { ...this.#details.get(row.key), ...says });
    this.#list.write(row.key, patch);
    this.#past.keep(this.#list.row(row.key), this.#details.get(row.key) ?? {}, cause);
  }

  #changeWork(row: LoopRow, change: WorkChange): void {
    const redirects = change.kind === "operate" && change.operation.step.op === "redirect";
    const cause = change.kind === "edit_tasks" ? change.kind : redirects ? "redirect" : "operate";
    this.#writeOurs(row, cause, {}, changedDetail(this.detail(row), change));
  }

  #repair(row: LoopRow, code: RepairCode): void {
    const { problems, repairs } = this.detail(row);
    const offer = repairs.find((one) => one.code === code);
    const refusal = offer ? offer.refusal : { code: "nothing_to_repair" as const, args: {} };
    if (refusal) throw { ...failure("refused"), refusal };
    if (code === "strip_trailing_garbage") return this.#writeOurs(row, "repair", recoveredRow());
    const rest = {
      problems: problems.filter((problem) => !offer?.ends.includes(problem.code)),
      repairs: repairs.filter((one) => one !== offer),
    };
    this.#writeOurs(row, "repair", {}, rest);
  }

  #become(row: LoopRow, word: StatusWord, fileWord: string, more: Partial<LoopRow>): void {
    const verbs = verbsOfWord(word, row.format);
    this.#list.write(row.key, {
      word,
      group: groupOfWord(word),
      file_word: fileWord,
      verbs: [...verbs],
      primary: primaryOf(verbs),
      ...more,
    });
  }

  #landVerb(key: string, verb: Verb): void {
    const row = this.#list.find(key);
    if (row) this.#past.keepReplaced(row, this.#details.get(key) ?? {});
    const landing = LANDINGS[verb];
    if (!row?.request || !landing) return;
    this.#become(row, landing.word, landing.fileWord, {
      agent: landing.word === "running_elsewhere" ? "elsewhere" : "none",
      request: { ...row.request, state: "in_effect" },
      reason: verb === "stop" ? "Manually stopped by user" : null,
      limit: null,
      run: endedRun(row, verb),
    });
    this.#past.keep(this.#list.row(key), this.#details.get(key) ?? {}, verb === "delete" ? null : verb);
  }
}
