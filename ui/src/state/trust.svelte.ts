import type { Failure, RecentFolder, WorkspaceView } from "../host/bindings";
import { asFailure } from "../host/failure";
import type { Host } from "../host/host";
import { Read } from "./query.svelte";

/** Folders whose programs may be run. */
export class TrustState extends Read<readonly RecentFolder[]> {
  /** Why one was not trusted, or still is. */
  refused: Failure | null = $state.raw(null);

  readonly #host: Host;

  constructor(host: Host) {
    super();
    this.#host = host;
  }

  get folders(): readonly RecentFolder[] {
    return this.value ?? [];
  }

  /** The workspace among the trusted folders: folders below a trusted one are not trusted with it. */
  of(workspace: WorkspaceView): RecentFolder | undefined {
    return this.folders.find((folder) => folder.path === workspace.folder);
  }

  /** Answers whether it was taken. */
  async set(path: string, trusted: boolean): Promise<boolean> {
    this.refused = null;
    try {
      await this.#host.runs.trust(path, trusted);
    } catch (reason) {
      this.refused = asFailure(reason);
      return false;
    }
    await this.read();
    return true;
  }

  protected readOnce(): Promise<RecentFolder[]> {
    return this.#host.runs.trusted();
  }
}
