import type { Failure, RecentFolder } from "../host/bindings";
import { asFailure } from "../host/failure";
import type { Host } from "../host/host";

/** The folders that are open and those that were. */
export class Folders {
  recent: readonly RecentFolder[] = $state.raw([]);
  /** What went wrong with folders, shown where they are opened. */
  failure: Failure | null = $state.raw(null);

  readonly #host: Host;

  constructor(host: Host) {
    this.#host = host;
  }

  /** Asks the host for something about folders, and keeps what goes wrong. */
  async ask(work: (host: Host) => Promise<unknown>): Promise<void> {
    this.failure = null;
    try {
      await work(this.#host);
    } catch (reason) {
      this.failure = asFailure(reason);
    }
  }

  async remove(id: string): Promise<void> {
    await this.ask((host) => host.removeWorkspace(id));
    // The folder is a recent one now, and only the start's answer names those.
    this.recent = (await this.#host.startup()).recent;
  }
}
