import type { Failure } from "../host/bindings";
import { asFailure } from "../host/failure";

/** What a person does in one place: one thing at a time, and why the last one failed. */
export class Deed {
  failure: Failure | null = $state.raw(null);
  busy = $state(false);

  /** Answers whether it was done; nothing is begun while another one is under way. */
  async do(work: () => Promise<unknown>): Promise<boolean> {
    if (this.busy) return false;
    this.busy = true;
    this.failure = null;
    try {
      await work();
      return true;
    } catch (reason) {
      this.failure = asFailure(reason);
      return false;
    } finally {
      this.busy = false;
    }
  }
}
