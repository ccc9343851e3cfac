import type { Failure, StartForm } from "../../host/bindings";
import { asFailure } from "../../host/failure";
import type { Host } from "../../host/host";
import { Later } from "./later";

const WAIT = 400;

/** Drafts on their way to the disk, of each window: a form that opens meanwhile must not read the one before. */
const saving = new WeakMap<Host, Promise<unknown>>();

/** The draft of a form on the disk: saved once the person pauses, and never after the form was sent. */
export class SavedDraft {
  readonly #host: Host;
  readonly #form: () => StartForm;
  readonly #told: (failure: Failure | null) => void;
  readonly #later = new Later(() => void this.#save(this.#form()), WAIT);
  /** The form is on its way, or was sent: its draft is removed with it. */
  #held = false;
  /** What was to be saved while the form was on its way. */
  #missed: StartForm | null = null;

  /** `form` is what to save, asked for when it is saved; `told` hears why that failed, or that it did not. */
  constructor(host: Host, form: () => StartForm, told: (failure: Failure | null) => void) {
    this.#host = host;
    this.#form = form;
    this.#told = told;
  }

  /** The draft that is offered again, with what was still on its way to the disk. */
  async read(): Promise<StartForm | null> {
    await saving.get(this.#host);
    return this.#host.runs.draft();
  }

  /** Saves the form soon. */
  ask(): void {
    this.#later.ask();
  }

  /** Saves at once what was to be saved soon. */
  flush(): void {
    this.#later.flush();
  }

  /**
   * Sends the form. A save that lands after that would offer a form again whose loop runs already, so what is unsaved goes
   * ahead, and nothing is saved from then on unless sending fails.
   */
  async sending<T>(send: () => Promise<T>): Promise<T> {
    this.flush();
    this.#held = true;
    try {
      await saving.get(this.#host);
      const sent = await send();
      this.#later.forget();
      return sent;
    } catch (reason) {
      this.#held = false;
      if (this.#missed) void this.#save(this.#missed);
      this.#missed = null;
      throw reason;
    }
  }

  async #save(form: StartForm): Promise<void> {
    if (this.#held) {
      this.#missed = form;
      return;
    }
    const saved = this.#host.runs.saveDraft(form);
    const all = Promise.allSettled([saving.get(this.#host), saved]);
    saving.set(
      this.#host,
      all.then(() => undefined),
    );
    try {
      await saved;
      this.#told(null);
    } catch (reason) {
      // A draft that cannot be saved must not stop the person who writes it.
      this.#told(asFailure(reason));
    }
  }
}
