import { createContext } from "svelte";
import type { Closing, Host } from "../host/host";
import type { ClosingAnswer, Startup } from "../host/bindings";
import { fill, sentences, t } from "../words/language.svelte";
import { failureHint, failureText } from "../words/phrases";
import { Actions } from "./actions";
import { AgentsState } from "./agents.svelte";
import { announceChanges } from "./announce-changes";
import { Announcer } from "./announcer.svelte";
import { Catalog, type Outside } from "./catalog.svelte";
import { Desktop } from "./desktop";
import { Folders } from "./folders.svelte";
import { Links } from "./links";
import { ListMarking } from "./list-marks";
import { LoopList } from "./list.svelte";
import { Navigation } from "./navigation.svelte";
import { NeedsState } from "./needs.svelte";
import { Notices } from "./notices.svelte";
import { SettingsState } from "./settings.svelte";
import { pressesOf, type ShortcutId } from "./shortcuts";
import { IssueOfForm } from "./issue-of-form.svelte";
import { RunOn } from "./run-on.svelte";
import { SavedViews } from "./saved-views";
import { SearchState } from "./search.svelte";
import { Sights } from "./sights.svelte";
import { TeamState } from "./team.svelte";
import { TrustState } from "./trust.svelte";
import { askingHost, TrustAgain } from "./trust-again.svelte";
import { VerbGuard } from "./verb-guard";

/** Puts together everything that the views share; each part has its own state. */
export class App {
  readonly host: Host;
  readonly catalog: Catalog;
  readonly settings: SettingsState;
  readonly list: LoopList;
  readonly navigation: Navigation;
  readonly notices: Notices;
  readonly actions: Actions;
  readonly marking: ListMarking;
  readonly views: SavedViews;
  readonly desktop: Desktop;
  readonly folders: Folders;
  readonly needs: NeedsState;
  readonly agents: AgentsState;
  readonly team: TeamState;
  /** Where the loop of the start form is to run. */
  readonly runOn: RunOn;
  /** The issue that this loop comes from. */
  readonly issueOfForm = new IssueOfForm();
  readonly trust: TrustState;
  readonly links: Links;
  /** Whether the files that the opened loop names are there. */
  readonly sights: Sights;
  /** What the person looks for in all loops. */
  readonly search: SearchState;
  readonly announcer = new Announcer((text, count) => fill(t.list.announced, { count, text }));
  /** It hears of every verb: where one was asked for, the rest of a double click asks for nothing. */
  readonly guard = new VerbGuard();

  version = $state("");
  /** Whether this build knows where newer versions are. */
  updates = $state(false);
  platform = $state("linux");
  /** The window is to be closed while loops run: asked above everything else. */
  closing: Closing | null = $state.raw(null);
  /** Something is dragged over the window. */
  dragging = $state(false);

  /** Asked above everything else, like the closing. */
  readonly trustAgain = new TrustAgain();

  constructor(behind: Host) {
    const host = askingHost(behind, this.trustAgain);
    this.host = host;
    this.catalog = new Catalog(host);
    this.settings = new SettingsState(host);
    this.needs = new NeedsState(host, this.catalog, this.announcer, this.guard);
    this.list = new LoopList(this.catalog, this.settings, this.needs);
    this.navigation = new Navigation(this.catalog, this.settings, this.list);
    this.notices = new Notices(this.announcer);
    this.actions = new Actions(this);
    this.marking = new ListMarking(this);
    this.views = new SavedViews(this);
    this.desktop = new Desktop(host, this.navigation, this.notices);
    this.folders = new Folders(host);
    this.agents = new AgentsState(host);
    this.team = new TeamState(host);
    this.runOn = new RunOn(host);
    this.trust = new TrustState(host);
    this.links = new Links(this.catalog, this.navigation, this.notices);
    this.sights = new Sights(host);
    this.search = new SearchState(host);

    this.needs.trustAgain = this.trustAgain;
    this.needs.onlost = (text) => this.notices.tell(text);
    this.navigation.ongo = () => this.links.forget();
    this.catalog.onPulled((pulled) => announceChanges(this.announcer, pulled));
    this.catalog.onPulled(({ removed }) => {
      if (removed.length > 0) this.forgetGone();
    });
    this.catalog.onOutside = (push) => this.#hear(push);
  }

  /** What is kept of loops that are gone is of no use. */
  forgetGone(): void {
    if (this.catalog.isRead) this.settings.forgetOpened((key) => this.catalog.isGone(key));
  }

  async start(): Promise<void> {
    this.#begin(await this.host.startup());
    void this.trust.read();
    void this.team.read();
    await this.catalog.start();
  }

  #begin(startup: Startup): void {
    this.settings.load(startup.settings);
    this.folders.recent = startup.recent;
    this.version = startup.version;
    this.platform = startup.platform;
    this.updates = startup.updates;
    const data = [...(startup.newer ? [startup.newer] : []), ...startup.damaged];
    // Two files may be damaged alike, and be of the same newer version: what is to be done is said once.
    const said = new Set([...data.map(failureText), ...data.map(failureHint)]);
    if (said.size > 0) this.notices.tell(sentences(...said));
    if (startup.open) this.navigation.open(startup.open);
  }

  /** Something that began outside of the page. */
  #hear(push: Outside): void {
    // It comes at any time, also while something is dragged.
    if (push.kind === "team") return void this.team.read();
    this.dragging = push.kind === "dragging" && push.over;
    if (push.kind === "failed") this.folders.failure = push.failure;
    else if (push.kind === "linked") this.links.follow(push);
    else if (push.kind === "opened") this.navigation.back();
    else if (push.kind === "waiting") this.needs.open = true;
    else if (push.kind === "closing") this.closing = push.step === "over" ? null : push;
  }

  answerClosing(how: ClosingAnswer): void {
    this.closing = null;
    void this.host.closeWindow(how);
  }

  /** The window stays. A stop in progress continues: hiding the sentence takes nothing back. */
  dismissClosing(): void {
    if (this.closing?.step === "stopping" || this.closing?.step === "left") this.closing = null;
    else this.answerClosing("cancel");
  }

  get modifier(): string {
    return this.platform === "macos" ? "⌘" : "Ctrl";
  }

  /** The keys that do something everywhere in the window, one entry for each press. */
  keysFor(id: ShortcutId): string[] {
    return pressesOf(id, this.modifier, this.settings.shortcuts);
  }

  /** To a loop that needs an answer: the focus goes to what it asks. */
  answer(key: string): void {
    this.needs.wantedKey = key;
    this.navigation.open(key);
  }
}

export const [useApp, provideApp] = createContext<App>();
