import type { Failure, RecentFolder, WorkspaceView } from "../host/bindings";
import { asFailure } from "../host/failure";
import type { Host } from "../host/host";

/** Folders whose programs may be run. */
export class TrustState {
  folders: readonly RecentFolder[] = $state.raw([]);
  failure: Failure | null = $state.raw(null);
  /** Which they are could be read. */
  loaded = $state(false);

  readonly #host: Host;

  constructor(host: Host) {
    this.#host = host;
  }

  async load(): Promise<void> {
    try {
      this.folders = await this.#host.runs.trusted();
      this.loaded = true;
      this.failure = null;
    } catch (reason) {
      this.failure = asFailure(reason);
    }
  }

  /** The workspace among the trusted folders: folders below a trusted one are not trusted with it. */
  of(workspace: WorkspaceView): RecentFolder | undefined {
    return this.folders.find((folder) => folder.path === workspace.folder);
  }

  /** Answers whether it was taken. */
  async set(path: string, trusted: boolean): Promise<boolean> {
    this.failure = null;
    try {
      await this.#host.runs.trust(path, trusted);
    } catch (reason) {
      this.failure = asFailure(reason);
      return false;
    }
    await this.load();
    return true;
  }
}
