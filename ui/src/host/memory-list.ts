import type { Changes, Failure, LoopRow, MarkedLoop, Push, Watching, WorkspaceView } from "./bindings";

const PAGE = 500;

export function failure(kind: Failure["kind"], args: Record<string, string> = {}): Failure {
  return { kind, args, refusal: null };
}

export function workspaceView(id: string, name: string, path: string): WorkspaceView {
  return {
    id,
    name,
    path,
    folder: path.replace("~", "/home/ana"),
    loops: 0,
    reachable: true,
    silent: false,
    scanned: true,
    sample: false,
    orphans: [],
    orphans_total: 0,
    elsewhere: null,
  };
}

/** Rows and workspaces of memory, each change under a new revision. */
export class MemoryList {
  /** Rises whenever something begins or ends to wait for the person. */
  needs = 0;
  /** Folders from last time are still to come. */
  reopening = false;
  watching: Watching = { folders: 3, polling: null, reason: null, checked: Date.now() };
  onPush: (push: Push) => void = () => undefined;

  readonly #rows = new Map<string, LoopRow>();
  readonly #revisions = new Map<string, number>();
  readonly #removed = new Map<string, number>();
  #workspaces: WorkspaceView[] = [];
  #revision = 1;

  fill(rows: readonly LoopRow[], workspaces: readonly WorkspaceView[]): void {
    this.#workspaces = [...workspaces];
    for (const row of rows) this.put(row, false);
    this.#tick();
  }

  put(row: LoopRow, tell = true): void {
    this.#revision += 1;
    this.#rows.set(row.key, row);
    this.#revisions.set(row.key, this.#revision);
    this.#removed.delete(row.key);
    if (tell) this.#tick();
  }

  /** As if another program had written the file. */
  write(key: string, patch: Partial<LoopRow>): void {
    this.put({ ...this.row(key), changed: Date.now(), ...patch });
  }

  remove(key: string): void {
    this.#revision += 1;
    this.#rows.delete(key);
    this.#removed.set(key, this.#revision);
    this.#tick();
  }

  rows(): LoopRow[] {
    return [...this.#rows.values()];
  }

  find(key: string): LoopRow | undefined {
    return this.#rows.get(key);
  }

  row(key: string): LoopRow {
    const row = this.#rows.get(key);
    if (!row) throw failure("unknown_loop");
    return row;
  }

  /** Of all of them or of none; answers with what was before. */
  mark(wanted: readonly MarkedLoop[]): MarkedLoop[] {
    const before = wanted.map(({ key }) => ({ key, marks: this.row(key).marks }));
    for (const { key, marks } of wanted) this.put({ ...this.row(key), marks });
    return before;
  }

  addWorkspace(path: string): string {
    const id = `w${this.#workspaces.length + 1}`;
    this.#workspaces.push(workspaceView(id, path.split("/").at(-1) ?? path, path));
    this.#revision += 1;
    this.#tick();
    return id;
  }

  removeWorkspace(id: string): void {
    this.#workspaces = this.#workspaces.filter((workspace) => workspace.id !== id);
    for (const row of this.rows()) if (row.workspace === id) this.remove(row.key);
    this.#tick();
  }

  changes(since: number): Changes {
    const newer = [...this.#revisions].filter(([, revision]) => revision > since).sort((a, b) => a[1] - b[1]);
    const page = newer.slice(0, PAGE);
    const more = newer.length > page.length;
    const last = page.at(-1)?.[1] ?? this.#revision;
    return {
      revision: more ? last : this.#revision,
      more,
      reset: since === 0,
      rows: page.flatMap(([key]) => this.#rows.get(key) ?? []),
      removed: more ? [] : [...this.#removed].filter(([, revision]) => revision > since).map(([key]) => key),
      workspaces: this.#workspacesCounted(),
      reopening: this.reopening,
      watching: this.watching,
      needs: this.needs,
      now: Date.now(),
    };
  }

  tellReopening(reopening: boolean): void {
    this.reopening = reopening;
    this.#revision += 1;
    this.#tick();
  }

  /** Something begins or ends to wait for the person. */
  tellNeeds(): void {
    this.needs += 1;
    this.#revision += 1;
    this.#tick();
  }

  #workspacesCounted(): WorkspaceView[] {
    return this.#workspaces.map((workspace) => ({
      ...workspace,
      loops: this.rows().filter((row) => row.workspace === workspace.id).length,
    }));
  }

  #tick(): void {
    this.onPush({ kind: "tick", revision: this.#revision });
  }
}
