import type { WorkspaceView } from "../host/bindings";

/** The last `count` parts of a path. */
function tailOf(path: string, count: number): string {
  return path
    .split(/[/\\]/)
    .filter((part) => part !== "")
    .slice(-count)
    .join("/");
}

/** Names that tell folders of one name apart: as many of the folders above them as that takes. */
function namesApart(same: readonly WorkspaceView[]): string[] {
  const deepest = Math.max(...same.map(({ path }) => path.split(/[/\\]/).length));
  for (let count = 2; count <= deepest; count += 1) {
    const names = same.map(({ path }) => tailOf(path, count));
    if (new Set(names.map((name) => name.toLowerCase())).size === same.length) return names;
  }
  return same.map(({ path }) => path);
}

/** Copies of another machine's folders say nothing with their path. */
const numberedNames = (same: readonly WorkspaceView[]) =>
  same.map(({ name }, place) => (place === 0 ? name : `${name} (${place + 1})`));

/** The folders with names of which no two are the same, for lists, menus and the filter. */
export function withDistinctNames(workspaces: readonly WorkspaceView[]): readonly WorkspaceView[] {
  const byName = new Map<string, WorkspaceView[]>();
  for (const one of workspaces) {
    const name = one.name.toLowerCase();
    byName.set(name, [...(byName.get(name) ?? []), one]);
  }
  const names = new Map<string, string>();
  for (const same of byName.values()) {
    if (same.length === 1) continue;
    const own = same.filter(({ elsewhere }) => elsewhere === null);
    const copies = same.filter(({ elsewhere }) => elsewhere !== null);
    if (own.length > 1) namesApart(own).forEach((name, at) => names.set(own[at]!.id, name));
    numberedNames(copies).forEach((name, at) => names.set(copies[at]!.id, name));
  }
  return workspaces.map((one) => ({ ...one, name: names.get(one.id) ?? one.name }));
}
