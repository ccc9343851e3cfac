import type { Failure } from "../host/bindings";
import { asFailure } from "../host/failure";
import { Turns } from "./turns";

/** What is read of the backend: one read at a time, the newest request last. What was read before stays when a read fails. */
export abstract class Reads {
  failure: Failure | null = $state.raw(null);
  readonly #turns = new Turns(() => this.#take());

  /** Done when what is there now was read. */
  read(): Promise<void> {
    return this.#turns.take();
  }

  protected abstract readOnce(): Promise<void>;

  async #take(): Promise<void> {
    try {
      await this.readOnce();
      this.failure = null;
    } catch (reason) {
      this.failure = asFailure(reason);
    }
  }
}

/** One answer. */
export class Answer<Value> extends Reads {
  /** Null until it was read. */
  value: Value | null = $state.raw(null);
  readonly #ask: () => Promise<Value>;

  constructor(ask: () => Promise<Value>) {
    super();
    this.#ask = ask;
  }

  protected async readOnce(): Promise<void> {
    this.value = await this.#ask();
  }
}
