import type { Component } from "svelte";
import type { Failure } from "../host/bindings";
import { asFailure } from "../host/failure";

/** A part of the window that the first screen does without. */
export class Later<Part extends Component<never>> {
  /** Drawn at once from then on, like any other part. */
  current: Part | null = $state.raw(null);
  failure: Failure | null = $state.raw(null);
  readonly #from: () => Promise<{ default: Part }>;

  constructor(from: () => Promise<{ default: Part }>) {
    this.#from = from;
  }

  async load(): Promise<void> {
    if (this.current) return;
    this.failure = null;
    try {
      this.current = (await this.#from()).default;
    } catch (reason) {
      this.failure = asFailure(reason);
    }
  }
}
