import type { Failure, RecentFolder, WorkspaceView } from "../host/bindings";
import { asFailure } from "../host/failure";
import type { Host } from "../host/host";
import type { Catalog } from "./catalog.svelte";

/** Folders whose programs may be run. */
export class TrustState {
  folders: readonly RecentFolder[] = $state.raw([]);
  failure: Failure | null = $state.raw(null);

  readonly #host: Host;
  readonly #catalog: Catalog;

  constructor(host: Host, catalog: Catalog) {
    this.#host = host;
    this.#catalog = catalog;
  }

  async load(): Promise<void> {
    try {
      this.folders = await this.#host.runs.trusted();
    } catch (reason) {
      this.failure = asFailure(reason);
    }
  }

  /** The workspace among the trusted folders: what lies below one is not trusted with it. */
  of(workspace: WorkspaceView): RecentFolder | undefined {
    return this.folders.find((folder) => folder.shown === workspace.path);
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

  /** Where a workspace really lies: views know it with `~` for the home folder. Nothing when nobody can tell. */
  async pathOf(workspace: WorkspaceView, recent: readonly RecentFolder[]): Promise<string | null> {
    if (!workspace.path.startsWith("~")) return workspace.path;
    const pair = [...this.folders, ...recent].find(({ path, shown }) => {
      return shown.startsWith("~") && path.endsWith(shown.slice(1));
    });
    if (pair) return pair.path.slice(0, pair.path.length - pair.shown.length + 1) + workspace.path.slice(1);
    for (const { row } of this.#catalog.cells()) {
      if (row.workspace !== workspace.id) continue;
      const form = await this.#host.runs.formOf(row.key).catch(() => null);
      return form?.folder ?? null;
    }
    return null;
  }
}
