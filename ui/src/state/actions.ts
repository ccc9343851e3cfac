import type {
  Control,
  Failure,
  LoopChange,
  LoopRow,
  RepairOffer,
  RunPlan,
  Verb,
  VerbOptions,
  VersionView,
} from "../host/bindings";
import { asFailure } from "../host/failure";
import type { Host } from "../host/host";
import { moment } from "../words/format";
import { fill, say, t } from "../words/language.svelte";
import { repairedText } from "../words/phrases";
import type { Catalog } from "./catalog.svelte";
import { clock } from "./clock.svelte";
import type { Dialog, FormId, FormStart } from "./dialog";
import { inSample } from "./known-plan";
import { launches } from "./launching";
import type { Navigation } from "./navigation.svelte";
import type { Notices } from "./notices.svelte";
import type { VerbGuard } from "./verb-guard";

/** Reasons for not starting that the person can do something about right there. */
const MENDED: readonly Failure["kind"][] = ["no_plan", "untrusted", "no_agent", "bad_form"];

/** What actions act on, and where they say what came of it. */
interface ActionParts {
  readonly host: Host;
  readonly catalog: Catalog;
  readonly guard: VerbGuard;
  readonly navigation: Navigation;
  readonly notices: Notices;
}

/** What a person does to a loop. The new state arrives as a change of its row, never as an answer. */
export class Actions {
  readonly #host: Host;
  readonly #catalog: Catalog;
  readonly #guard: VerbGuard;
  readonly #navigation: Navigation;
  readonly #notices: Notices;

  constructor(parts: ActionParts) {
    this.#host = parts.host;
    this.#catalog = parts.catalog;
    this.#guard = parts.guard;
    this.#navigation = parts.navigation;
    this.#notices = parts.notices;
  }

  /**
   * A verb from anywhere: done at once, or asked for in a dialog that says what will happen. Where Loopdeck drives the
   * format, what sets a loop running starts its agent, unless that is to be done by hand.
   */
  async request(key: string, verb: Verb, byHand = false): Promise<void> {
    this.#guard.noteVerb();
    if (verb === "edit_metadata") return this.#show({ kind: "metadata", key });
    if (verb === "delete") return this.#show({ kind: "delete", key });
    try {
      const controls = await this.#host.controls(key);
      const control = controls.find((one) => one.verb === verb);
      if (!control) return;
      const limit = control.refusal?.code === "limit_reached";
      if (control.refusal && !limit) {
        this.#notices.fail(key, { kind: "refused", args: {}, refusal: control.refusal });
        return;
      }
      const launching = !byHand && launches(this.#catalog.cell(key)?.row, verb);
      if (limit || control.confirm || (!launching && "command" in control.args)) {
        this.#show({ kind: "verb", key, control, byHand: !launching });
      } else if (launching) {
        await this.launchAsBefore(key, control, null);
      } else {
        await this.act(key, verb, {});
      }
    } catch (reason) {
      this.#notices.fail(key, asFailure(reason));
    }
  }

  /**
   * Starts the agent of a loop as it was run last. Where that is not possible without a choice, the form for it takes
   * the place of whatever asked. The loop of another machine is started by that machine: it is only asked to. Answers
   * whether there is nothing left to ask.
   */
  async launchAsBefore(key: string, control: Control, raise: number | null): Promise<boolean> {
    if (this.#catalog.elsewhere(this.#catalog.cell(key)?.row))
      return this.act(key, control.verb, raise === null ? {} : { raise_limit_to: raise });
    const failure = await this.#launchKnown(key, raise);
    if (!failure) return true;
    if (!MENDED.includes(failure.kind)) {
      this.#notices.fail(key, failure);
      return false;
    }
    this.#navigation.chooseLaunch({ key, control, reason: failure, raise });
    return false;
  }

  /** As it was run last, or as the sample brings it: there is nothing left to choose. */
  async #launchKnown(key: string, raise: number | null): Promise<Failure | null> {
    const failure = await this.launch(key, null, raise);
    if (failure?.kind !== "no_plan" || !inSample(this.#catalog, this.#catalog.cell(key)?.row)) return failure;
    try {
      return await this.launch(key, await this.#host.runs.planOf(key), raise);
    } catch (reason) {
      return asFailure(reason);
    }
  }

  /** Opens the form that chooses how the agent of a loop is run, also where that is known. */
  chooseLaunch(key: string, control: Control): void {
    this.#navigation.chooseLaunch({ key, control, reason: null, raise: null });
  }

  /** Starts the agent of a loop. Answers what went wrong, to be shown where it was asked for. */
  async launch(key: string, plan: RunPlan | null, raise: number | null): Promise<Failure | null> {
    this.#begin(key);
    this.#notices.done = null;
    try {
      await this.#host.runs.launch(key, plan, raise);
      return null;
    } catch (reason) {
      return asFailure(reason);
    }
  }

  /** Asks the backend; the new state arrives as a change. Answers whether it was taken. */
  act(key: string, verb: Verb, options: VerbOptions): Promise<boolean> {
    this.#notices.done = null;
    return this.#atOnce(key, () => this.#host.act(key, verb, options));
  }

  /** Ends our processes on a loop at once. Answers whether it was taken; what became of them comes with the row. */
  stopNow(key: string): Promise<boolean> {
    return this.#atOnce(key, () => this.#host.runs.stopNow(key));
  }

  /** Interrupts the action in progress instead of waiting for its end. */
  pauseNow(key: string): Promise<boolean> {
    return this.#atOnce(key, () => this.#host.runs.pauseNow(key));
  }

  /** What goes wrong is shown next to the loop. Answers whether it was taken. */
  async #atOnce(key: string, work: () => Promise<unknown>): Promise<boolean> {
    this.#begin(key);
    try {
      await work();
      return true;
    } catch (reason) {
      this.#notices.fail(key, asFailure(reason));
      return false;
    }
  }

  #begin(key: string): void {
    this.#guard.noteVerb();
    this.#notices.dismissFailure(key);
  }

  /** Opens the form of a step. */
  openStep(key: string, form: FormId, start: FormStart = {}): void {
    this.#show({ kind: "step", key, form, start });
  }

  /** Whether the loop has proposals: its file cannot be read, or the opened one is another loop's. */
  recoverable(row: LoopRow): boolean {
    const { page } = this.#navigation;
    if (this.#catalog.elsewhere(row)) return false;
    return row.word === "cannot_read" || (page?.row.key === row.key && page.recoverable);
  }

  /**
   * A change beyond the control verbs: a repair, a recovery, a step of the work, the task list.
   * When it is written, `done` announces it with the way back. The caller shows what goes wrong.
   */
  async change(key: string, change: LoopChange, done: string): Promise<void> {
    this.#begin(key);
    await this.#host.change(key, change);
    const away = this.#catalog.elsewhere(this.#catalog.cell(key)?.row);
    // What another machine is asked for is not written yet, and only that machine can undo it.
    if (away) this.#notices.notify(say(t.team.handedOn, { machine: away.machine, member: away.member }));
    else this.#notices.tellWritten(key, done);
  }

  /**
   * The same where there is no form: what went wrong is shown next to the loop. Returns whether it
   * was written.
   */
  changeAtOnce(key: string, change: LoopChange, done: string): Promise<boolean> {
    return this.#atOnce(key, () => this.change(key, change, done));
  }

  /** Takes back Loopdeck's last write to this loop. */
  async undo(key: string): Promise<void> {
    await this.#atOnce(key, async () => {
      await this.#host.undo(key);
      this.#notices.tellUndone();
    });
  }

  /** Puts an older version back; the caller shows what goes wrong. */
  async restore(key: string, version: VersionView): Promise<void> {
    this.#begin(key);
    await this.#host.restore(key, version.id);
    this.#notices.tellWritten(key, fill(t.done.restored, { time: moment(version.at, clock.coarse) }));
  }

  repair(key: string, offer: RepairOffer): Promise<boolean> {
    return this.changeAtOnce(key, { kind: "repair", repair: offer.code }, repairedText(offer.code));
  }

  /** A dialog asks for what is still missing. */
  #show(dialog: Dialog): void {
    this.#navigation.dialog = dialog;
  }
}
