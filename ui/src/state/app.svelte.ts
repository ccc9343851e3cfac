import { getContext, setContext } from "svelte";
import type {
  CodePlace,
  Control,
  Failure,
  FollowUpKind,
  LoopChange,
  LoopPage,
  LoopRow,
  RecentFolder,
  RepairOffer,
  RunPlan,
  Startup,
  StopView,
  Verb,
  VerbOptions,
  VersionView,
} from "../host/bindings";
import { asFailure } from "../host/failure";
import type { Closing, Host } from "../host/host";
import { moment } from "../words/format";
import { fill, t } from "../words/language.svelte";
import { failureText, repairedText, statusText, stopText } from "../words/phrases";
import { AgentsState } from "./agents.svelte";
import { Announcer } from "./announcer.svelte";
import { Catalog, type Pulled } from "./catalog.svelte";
import { writeClipboard } from "./clipboard";
import { clock } from "./clock.svelte";
import type { Dialog } from "./dialog";
import { Hints } from "./hints.svelte";
import { inSample } from "./known-plan";
import { openId } from "./lately";
import { LoopList } from "./list.svelte";
import { launches } from "./launching";
import { Links } from "./links";
import { NeedsState } from "./needs.svelte";
import type { OpenPage } from "./page.svelte";
import type { Place, Tab } from "./place";
import { SettingsState } from "./settings.svelte";
import { Sights } from "./sights.svelte";
import type { FormId, Start } from "./steps";
import { Trail } from "./trail";
import { TrustState } from "./trust.svelte";
import { VerbGuard } from "./verb-guard";

/** A place in a file that a loop names. */
export type Spot = Pick<CodePlace, "file" | "line" | "column">;
/** Reasons for not starting that the person can do something about right there. */
const MENDED: readonly Failure["kind"][] = ["no_plan", "untrusted", "no_agent", "bad_form"];

/** Everything the views share. */
export class App {
  readonly host: Host;
  readonly catalog: Catalog;
  readonly settings: SettingsState;
  readonly list: LoopList;
  /** Every verb is told to it: where it was asked for, the rest of a double click asks for nothing. */
  readonly guard = new VerbGuard();
  readonly announcer = new Announcer((text, count) => fill(t.list.announced, { count, text }));
  readonly needs: NeedsState;
  readonly agents: AgentsState;
  readonly trust: TrustState;
  readonly hints = new Hints();

  place: Place = $state.raw({ kind: "list" });
  dialog: Dialog | null = $state.raw(null);
  /** The opened loop's page, for what is offered besides the view itself. */
  opened: OpenPage | null = $state.raw(null);
  recent: readonly RecentFolder[] = $state.raw([]);
  version = $state("");
  platform = $state("linux");
  /** What went wrong with a loop's control, beside the loop until dismissed. */
  failures: Readonly<Record<string, Failure>> = $state.raw({});
  /** What Loopdeck just wrote to a loop, shown with Undo until dismissed or followed by something else. */
  done: { readonly key: string; readonly text: string } | null = $state.raw(null);
  /** The page of the opened loop, for those who offer what its file allows. */
  page: LoopPage | null = $state.raw(null);
  /** What went wrong with folders. */
  folderFailure: Failure | null = $state.raw(null);
  /** The window is to be closed while loops run: asked above everything else. */
  closing: Closing | null = $state.raw(null);
  /** Something is dragged over the window. */
  dragging = $state(false);
  /** A sentence about what happened outside of any loop; stays until dismissed. */
  notice = $state("");
  /** Short confirmations such as “Copied.”; never the only place of anything. */
  toast = $state("");

  readonly links: Links;
  /** Whether the files that the opened loop names are there. */
  readonly sights: Sights;
  readonly #trail = new Trail();
  #toastTimer: ReturnType<typeof setTimeout> | null = null;

  constructor(host: Host) {
    this.host = host;
    this.catalog = new Catalog(host);
    this.settings = new SettingsState(host);
    this.list = new LoopList(this.catalog, this.settings);
    this.links = new Links(this);
    this.sights = new Sights(host);
    this.needs = new NeedsState(host, this.catalog, this.announcer, this.guard);
    this.needs.onlost = (text) => this.tell(text);
    this.agents = new AgentsState(host);
    this.trust = new TrustState(host);
    this.catalog.onPulled((pulled) => this.#announce(pulled));
    this.catalog.onOutside = (push) => {
      this.dragging = push.kind === "dragging" && push.over;
      if (push.kind === "failed") this.folderFailure = push.failure;
      else if (push.kind === "linked") this.links.follow(push);
      else if (push.kind === "opened") this.back();
      else if (push.kind === "waiting") this.needs.open = true;
      else if (push.kind === "closing") this.closing = push.step === "over" ? null : push;
    };
  }

  async start(): Promise<void> {
    this.#begin(await this.host.startup());
    void this.trust.load();
    await this.catalog.start();
  }

  #begin(startup: Startup): void {
    this.settings.load(startup.settings);
    this.recent = startup.recent;
    this.version = startup.version;
    this.platform = startup.platform;
    if (startup.open) this.open(startup.open);
  }

  get modifier(): string {
    return this.platform === "macos" ? "⌘" : "Ctrl";
  }

  open(key: string, tab: Tab = "overview", line: number | null = null): void {
    this.#go({ kind: "loop", key, tab, line, item: null });
  }

  /** Opens a place that a link, the palette or another view names. */
  openAt(place: { readonly key: string; readonly tab: Tab; readonly item: string | null }): void {
    this.#go({ kind: "loop", key: place.key, tab: place.tab, line: null, item: place.item });
  }

  showTab(tab: Tab, line: number | null = null): void {
    if (this.place.kind === "loop") this.#go({ ...this.place, tab, line, item: null });
  }

  /** What is chosen in the part that is shown; part of the place, so that it can be linked to. */
  select(item: string | null): void {
    if (this.place.kind === "loop" && this.place.item !== item) this.place = { ...this.place, item };
  }

  /** To the list. */
  back(): void {
    this.#go({ kind: "list" });
  }

  /** To the page that shows every part of the window. */
  showParts(): void {
    this.#go({ kind: "parts" });
  }

  /** To the form that starts a loop; like another one, or as follow-up work of it, where it is named. */
  startLoop(from: string | null = null, followUp: FollowUpKind | null = null): void {
    this.#go({ kind: "start", from, followUp });
  }

  /** To a loop that needs an answer: the focus goes to what it asks. */
  answer(key: string): void {
    this.needs.wanted = key;
    this.open(key);
  }

  /** To the agents of this computer. */
  showAgents(): void {
    this.#go({ kind: "agents" });
  }

  /** Back along the way the person came, or forward again. Answers whether there was somewhere to go. */
  retrace(step: "back" | "forward"): boolean {
    const to = this.#trail[step](this.place);
    if (to) this.#arrive(to);
    return to !== undefined;
  }

  #go(to: Place): void {
    this.#trail.leave(this.place, to);
    this.#arrive(to);
  }

  #arrive(to: Place): void {
    this.links.forget();
    this.place = to;
    if (to.kind !== "loop") return;
    this.settings.lately.add(openId(to.key));
    this.list.activeKey = to.key;
    const row = this.catalog.cell(to.key)?.row;
    if (row) this.settings.markOpened(row);
  }

  /** Shows the list with a filter, from the sidebar or the palette. */
  showList(filter: string): void {
    this.list.filter = filter;
    this.back();
  }

  /**
   * A verb from anywhere: done at once, or asked for in a dialog that says what will happen. Where Loopdeck drives the
   * format, what sets a loop running starts its agent, unless that is to be done by hand.
   */
  async request(key: string, verb: Verb, byHand = false): Promise<void> {
    this.guard.took();
    if (verb === "edit_metadata") return this.#show({ kind: "metadata", key });
    if (verb === "delete") return this.#show({ kind: "delete", key });
    try {
      const controls = await this.host.controls(key);
      const control = controls.find((one) => one.verb === verb);
      if (!control) return;
      const limit = control.refusal?.code === "limit_reached";
      if (control.refusal && !limit) {
        this.#fail(key, { kind: "refused", args: {}, refusal: control.refusal });
        return;
      }
      const launching = !byHand && launches(this.catalog.cell(key)?.row, verb);
      if (limit || control.confirm || (!launching && "command" in control.args)) {
        this.#show({ kind: "verb", key, control, byHand: !launching });
      } else if (launching) {
        await this.launchAsBefore(key, control, null);
      } else {
        await this.act(key, verb, {});
      }
    } catch (reason) {
      this.#fail(key, asFailure(reason));
    }
  }

  /**
   * Starts the agent of a loop as it was run last. Where that is not possible without a choice, the dialog for it takes
   * the place of whatever asked. Answers whether there is nothing left to ask.
   */
  async launchAsBefore(key: string, control: Control, raise: number | null): Promise<boolean> {
    const failure = await this.#launchKnown(key, raise);
    if (!failure) return true;
    if (!MENDED.includes(failure.kind)) {
      this.#fail(key, failure);
      return false;
    }
    this.#show({ kind: "launch", key, control, reason: failure, raise });
    return false;
  }

  /** As it was run last, or as the sample brings it: there is nothing left to choose. */
  async #launchKnown(key: string, raise: number | null): Promise<Failure | null> {
    const failure = await this.launch(key, null, raise);
    if (failure?.kind !== "no_plan" || !inSample(this.catalog, this.catalog.cell(key)?.row)) return failure;
    try {
      return await this.launch(key, await this.host.runs.planOf(key), raise);
    } catch (reason) {
      return asFailure(reason);
    }
  }

  /** Opens the dialog that chooses how the agent of a loop is run, also where that is known. */
  chooseLaunch(key: string, control: Control): void {
    this.#show({ kind: "launch", key, control, reason: null, raise: null });
  }

  /** Starts the agent of a loop. Answers what went wrong, to be shown where it was asked for. */
  async launch(key: string, plan: RunPlan | null, raise: number | null): Promise<Failure | null> {
    this.list.expect(key);
    this.guard.took();
    this.dismissFailure(key);
    this.done = null;
    try {
      await this.host.runs.launch(key, plan, raise);
      return null;
    } catch (reason) {
      return asFailure(reason);
    }
  }

  #show(dialog: Dialog): void {
    this.dialog = dialog;
  }

  /** Asks the backend; the new state arrives as a change. Answers whether it was taken. */
  async act(key: string, verb: Verb, options: VerbOptions): Promise<boolean> {
    this.list.expect(key);
    this.guard.took();
    this.dismissFailure(key);
    this.done = null;
    try {
      await this.host.act(key, verb, options);
      return true;
    } catch (reason) {
      this.#fail(key, asFailure(reason));
      return false;
    }
  }

  /** Ends our processes on a loop at once. Answers whether it was taken; what became of them comes with the row. */
  stopNow(key: string): Promise<boolean> {
    return this.#atOnce(key, () => this.host.runs.stopNow(key));
  }

  /** Interrupts the action in progress instead of waiting for its end. */
  pauseNow(key: string): Promise<boolean> {
    return this.#atOnce(key, () => this.host.runs.pauseNow(key));
  }

  async #atOnce(key: string, work: () => Promise<void>): Promise<boolean> {
    this.list.expect(key);
    this.guard.took();
    this.dismissFailure(key);
    try {
      await work();
      return true;
    } catch (reason) {
      this.#fail(key, asFailure(reason));
      return false;
    }
  }

  /** Opens the form of a step. */
  openStep(key: string, form: FormId, start: Start = {}): void {
    this.#show({ kind: "step", key, form, start });
  }

  /** Whether the loop has proposals: its file cannot be read, or the opened one is another loop's. */
  recoverable(row: LoopRow): boolean {
    return row.word === "cannot_read" || (this.page?.row.key === row.key && this.page.recoverable);
  }

  /**
   * A change beyond the control verbs: a repair, a recovery, a step of the work, the task list. When it is written,
   * `done` says so with the way back. Answers what went wrong, to be shown beside what was typed.
   */
  async change(key: string, change: LoopChange, done: string): Promise<Failure | null> {
    this.guard.took();
    this.dismissFailure(key);
    try {
      await this.host.change(key, change);
      this.wrote(key, done);
      return null;
    } catch (reason) {
      return asFailure(reason);
    }
  }

  /** The same where there is no form: what went wrong is shown beside the loop. Answers whether it was written. */
  async changeAtOnce(key: string, change: LoopChange, done: string): Promise<boolean> {
    const failure = await this.change(key, change, done);
    if (failure) this.#fail(key, failure);
    return failure === null;
  }

  /** Takes back Loopdeck's last write to this loop. */
  async undo(key: string): Promise<void> {
    this.guard.took();
    this.dismissFailure(key);
    try {
      await this.host.undo(key);
      this.done = null;
      this.announcer.say(t.done.undone);
    } catch (reason) {
      this.#fail(key, asFailure(reason));
    }
  }

  /** A write of ours has landed: it is said, and shown with the way back. */
  wrote(key: string, text: string): void {
    this.done = { key, text };
    this.announcer.say(fill(t.done.undoHint, { text }));
  }

  /** Puts an older version back; the caller shows what goes wrong. */
  async restore(key: string, version: VersionView): Promise<void> {
    this.guard.took();
    this.dismissFailure(key);
    await this.host.restore(key, version.id);
    this.wrote(key, fill(t.done.restored, { time: moment(version.at, clock.coarse) }));
  }

  repair(key: string, offer: RepairOffer): Promise<boolean> {
    return this.changeAtOnce(key, { kind: "repair", repair: offer.code }, repairedText(offer.code));
  }

  #fail(key: string, failure: Failure): void {
    this.failures = { ...this.failures, [key]: failure };
    this.announcer.sayNow(failureText(failure));
  }

  dismissFailure(key: string): void {
    if (!(key in this.failures)) return;
    this.failures = Object.fromEntries(Object.entries(this.failures).filter(([other]) => other !== key));
  }

  /** Runs something about folders; what goes wrong is shown where folders are opened. */
  async folders(work: () => Promise<unknown>): Promise<void> {
    this.folderFailure = null;
    try {
      await work();
    } catch (reason) {
      this.folderFailure = asFailure(reason);
    }
  }

  async removeWorkspace(id: string): Promise<void> {
    await this.folders(() => this.host.removeWorkspace(id));
    // The folder is a recent one now, and only the start's answer names those.
    this.recent = (await this.host.startup()).recent;
  }

  /** Opens a file or folder with the desktop. */
  async openOutside(key: string, what: "file" | "folder"): Promise<void> {
    try {
      await (what === "file" ? this.host.openFile(key) : this.host.openFolder(key));
    } catch (reason) {
      this.#fail(key, asFailure(reason));
    }
  }

  /** Opens a file that a loop names in the person's editor. Without an editor there is something else to do with it. */
  async openPlace(key: string, place: Spot): Promise<void> {
    const text = [place.file, place.line, place.column].filter((part) => part !== null).join(":");
    this.dismissFailure(key);
    try {
      await this.host.openPlace(key, place.file, place.line, place.column);
      this.notify(fill(t.outside.opened, { place: text }));
    } catch (reason) {
      const failure = asFailure(reason);
      if (failure.kind.includes("editor")) this.#show({ kind: "editor", failure, place: text });
      else this.#fail(key, failure);
    }
  }

  /** Saves a text or picture where the person wants it; nothing happens when they change their mind. */
  async saveAs(name: string, bytes: Uint8Array): Promise<void> {
    try {
      const path = await this.host.saveAs(name, bytes);
      if (path !== null) this.notify(fill(t.outside.saved, { path }));
    } catch (reason) {
      this.tell(failureText(asFailure(reason)));
    }
  }

  async copy(text: string): Promise<void> {
    try {
      await writeClipboard(text);
      this.notify(t.app.copied);
    } catch {
      this.notify(t.app.copyFailed);
    }
  }

  /** A link to a place in a loop, into the clipboard. */
  async copyLink(key: string, tab: Tab | null = null, item: string | null = null): Promise<void> {
    const link = this.host.link(key, tab, item);
    try {
      await writeClipboard(link);
      this.notify(t.app.copied);
    } catch {
      // Either there is no link, or no clipboard.
      await link.then(
        () => this.notify(t.app.copyFailed),
        (reason: unknown) => this.#fail(key, asFailure(reason)),
      );
    }
  }

  /** The same to what is on screen when it is this loop, otherwise to the loop. */
  copyLinkHere(key: string): Promise<void> {
    const { place } = this;
    return place.kind === "loop" && place.key === key
      ? this.copyLink(key, place.tab, place.item)
      : this.copyLink(key);
  }

  /** Says something that stays until it is dismissed. */
  tell(text: string): void {
    this.notice = text;
    this.announcer.say(text);
  }

  notify(text: string): void {
    this.toast = text;
    this.announcer.say(text);
    if (this.#toastTimer !== null) clearTimeout(this.#toastTimer);
    this.#toastTimer = setTimeout(() => (this.toast = ""), 4000);
  }

  /** Only what a person follows is announced: a status that changed. */
  #announce(pulled: Pulled): void {
    if (pulled.snapshot) return;
    for (const { before, row } of pulled.changed) {
      // A stop is only believed when somebody says what became of it.
      const stop = before ? newStop(before, row) : null;
      if (!before || (before.word === row.word && !stop)) continue;
      // What it needs is said in full by those who ask.
      if (!stop && (row.run?.needs ?? 0) > (before.run?.needs ?? 0)) continue;
      const now = fill(t.list.nowStatus, { title: row.title, status: statusText(row, clock.coarse) });
      const text = stop ? fill(t.units.labelled, { name: now, value: stopText(stop) }) : now;
      if (row.word === "needs_you" || row.word === "stopped" || stop) this.announcer.sayNow(text);
      else this.announcer.say(text);
    }
  }
}

/** What a stop left behind, when that is news. */
function newStop(before: LoopRow, row: LoopRow): StopView | null {
  const stop = row.run?.stop ?? null;
  return JSON.stringify(stop) === JSON.stringify(before.run?.stop ?? null) ? null : stop;
}

const APP = Symbol("app");

export function provideApp(app: App): App {
  return setContext(APP, app);
}

export function useApp(): App {
  return getContext(APP);
}
