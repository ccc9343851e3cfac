import type { Editors, Failure, Settings, Terminals } from "./bindings";
import type { Host } from "./host";
import { sampleEditors } from "./sample-places";

/** What is around the loops, in memory: settings, the window, editors, files that are saved, newer versions. */
export class MemoryDesktop {
  /** What was asked of the host, for tests. */
  readonly asked: string[] = [];
  /** Set to make the next operation that changes something fail. */
  failNext: Failure | null = null;
  settings: Settings = {};
  /** What the place for updates answers; nothing when this build knows none. */
  update: { readonly newest: string | null } | null = null;
  /** The editors of this computer. */
  editorsHere: Editors = sampleEditors();
  /** Whether it starts when the person signs in; null where that can’t be arranged. */
  signIn: boolean | null = false;
  /** Where the person saves; null when they cancel. */
  savedAs: string | null = "~/Downloads";
  /** Texts that were saved. */
  readonly saved: string[] = [];

  closeWindow: Host["closeWindow"] = async (how) => this.asked.push(`close ${how}`);

  lastList: string | null = null;

  keepLastList: Host["keepLastList"] = async (picture) => {
    this.lastList = picture;
  };

  saveSettings: Host["saveSettings"] = async (settings) => {
    this.settings = settings;
  };

  startsAtSignIn: Host["startsAtSignIn"] = async () => this.signIn;

  startAtSignIn: Host["startAtSignIn"] = async (on) => {
    this.changing(`sign-in ${on}`);
    this.signIn = on;
  };

  openFile: Host["openFile"] = async (key) => this.changing(`file ${key}`);

  openWorkspaceFolder: Host["openWorkspaceFolder"] = async (id) =>
    this.asked.push(`openWorkspaceFolder ${id}`);

  openFolder: Host["openFolder"] = async (key) => this.changing(`folder ${key}`);

  editors: Host["editors"] = async () => this.editorsHere;

  tryEditor: Host["tryEditor"] = async (choice, text) =>
    this.changing(`try ${JSON.stringify(choice)} ${text.split("\n").length}`);

  terminalsHere: Terminals = {
    found: [{ id: "kitty", name: "kitty", program: "/usr/bin/kitty" }],
    auto: "kitty",
  };

  terminals: Host["terminals"] = async () => this.terminalsHere;

  openTerminal: Host["openTerminal"] = async (key) => this.changing(`terminal ${key}`);

  openWorkspaceTerminal: Host["openWorkspaceTerminal"] = async (id) => this.changing(`terminal ${id}`);

  openAddress: Host["openAddress"] = async (address) => this.changing(`address ${address}`);

  saveAs: Host["saveAs"] = async (name, bytes) => {
    this.saved.push(new TextDecoder().decode(bytes));
    this.changing(`save ${name} ${bytes.length}`);
    return this.savedAs === null ? null : `${this.savedAs}/${name}`;
  };

  checkForUpdate: Host["checkForUpdate"] = async () => {
    this.changing("check for update");
    return this.update?.newest ? { version: this.update.newest } : null;
  };

  installUpdate: Host["installUpdate"] = async () => this.changing("install update");

  diagnostics: Host["diagnostics"] = async () => "Loopdeck in memory";

  protected changing(what: string): void {
    this.asked.push(what);
    this.mayFail();
  }

  protected mayFail(): void {
    const planned = this.failNext;
    this.failNext = null;
    if (planned) throw planned;
  }
}
