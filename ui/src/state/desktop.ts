import type { CodePlace, Failure } from "../host/bindings";
import { asFailure } from "../host/failure";
import type { Host } from "../host/host";
import { fill, t } from "../words/language.svelte";
import { failureText } from "../words/phrases";
import { writeClipboard } from "./clipboard";
import type { Navigation } from "./navigation.svelte";
import type { Notices } from "./notices.svelte";
import type { Tab } from "./place";

/** A place in a file that a loop names. */
type CodeSpot = Pick<CodePlace, "file" | "line" | "column">;

/** What leaves the window: for the file manager, the person's editor, a file of their own, the clipboard. */
export class Desktop {
  readonly #host: Host;
  readonly #navigation: Navigation;
  readonly #notices: Notices;

  constructor(host: Host, navigation: Navigation, notices: Notices) {
    this.#host = host;
    this.#navigation = navigation;
    this.#notices = notices;
  }

  /** Opens a file or folder with the desktop. */
  async openOutside(key: string, what: "file" | "folder"): Promise<void> {
    try {
      await (what === "file" ? this.#host.openFile(key) : this.#host.openFolder(key));
    } catch (reason) {
      this.#notices.fail(key, asFailure(reason));
    }
  }

  /** Opens the person's terminal in the folder of a loop. */
  async openTerminal(key: string): Promise<void> {
    this.#notices.dismissFailure(key);
    try {
      await this.#host.openTerminal(key);
    } catch (reason) {
      this.#notices.fail(key, asFailure(reason));
    }
  }

  /** Opens a file that a loop names in the person's editor. Without an editor there is something else to do with it. */
  async openPlace(key: string, place: CodeSpot): Promise<void> {
    const text = [place.file, place.line, place.column].filter((part) => part !== null).join(":");
    this.#notices.dismissFailure(key);
    try {
      await this.#host.openPlace(key, place.file, place.line, place.column);
      this.#notices.notify(fill(t.outside.opened, { place: text }));
    } catch (reason) {
      const failure = asFailure(reason);
      if (failure.kind.includes("editor")) this.#navigation.dialog = { kind: "editor", failure, place: text };
      else this.#notices.fail(key, failure);
    }
  }

  /** Saves a text or picture where the person wants it. Answers whether it is saved: they may change their mind. */
  async saveAs(name: string, bytes: Uint8Array): Promise<boolean> {
    const path = await this.#host.saveAs(name, bytes);
    if (path !== null) this.#notices.notify(fill(t.outside.saved, { path }));
    return path !== null;
  }

  /** The same where nothing shows why it failed. */
  async saveOrTell(name: string, bytes: Uint8Array): Promise<void> {
    try {
      await this.saveAs(name, bytes);
    } catch (reason) {
      this.#notices.tell(failureText(asFailure(reason)));
    }
  }

  async copy(text: string): Promise<void> {
    try {
      await writeClipboard(text);
      this.#notices.notify(t.app.copied);
    } catch {
      this.#notices.notify(t.app.copyFailed);
    }
  }

  /** Text that is still to come, into the clipboard; `fail` says why it does not come. */
  async #copyWhenThere(text: Promise<string>, fail: (failure: Failure) => void): Promise<void> {
    try {
      // Handed over as a promise: the web view takes no text that comes later than the click.
      await writeClipboard(text);
      this.#notices.notify(t.app.copied);
    } catch {
      // Either there is no text, or no clipboard.
      await text.then(
        () => this.#notices.notify(t.app.copyFailed),
        (reason: unknown) => fail(asFailure(reason)),
      );
    }
  }

  /** What a report of a problem needs, into the clipboard. */
  copyDiagnostics(): Promise<void> {
    return this.#copyWhenThere(this.#host.diagnostics(), (failure) =>
      this.#notices.tell(failureText(failure)),
    );
  }

  /** Text about a loop that is still to come, into the clipboard; a failure is said with the loop. */
  copyOfLoop(key: string, text: Promise<string>): Promise<void> {
    return this.#copyWhenThere(text, (failure) => this.#notices.fail(key, failure));
  }

  /** A link to a place in a loop, into the clipboard. */
  copyLink(key: string, tab: Tab | null = null, item: string | null = null): Promise<void> {
    return this.copyOfLoop(key, this.#host.link(key, tab, item));
  }

  /** The same to what is on screen when it is this loop, otherwise to the loop. */
  copyLinkHere(key: string): Promise<void> {
    const { place } = this.#navigation;
    return place.kind === "loop" && place.key === key
      ? this.copyLink(key, place.tab, place.item)
      : this.copyLink(key);
  }
}
