import type { RecentFolder, WorkspaceView } from "../../host/bindings";
import type { App } from "../../state/app.svelte";

/** The absolute path behind one that is shown with `~`, as far as a known folder tells where home is. */
export function absolute(shown: string, known: readonly RecentFolder[]): string {
  if (!shown.startsWith("~")) return shown;
  for (const one of known) {
    const below = one.shown.startsWith("~") ? one.shown.slice(1) : null;
    if (below !== null && one.path.endsWith(below)) {
      return one.path.slice(0, one.path.length - below.length) + shown.slice(1);
    }
  }
  return shown;
}

/** Where a workspace lies on the disk: one of its loops knows best. */
export async function pathOf(
  app: App,
  workspace: WorkspaceView,
  known: readonly RecentFolder[],
): Promise<string> {
  if (!workspace.path.startsWith("~")) return workspace.path;
  for (const cell of app.catalog.cells()) {
    if (cell.row.workspace !== workspace.id) continue;
    const found = await app.host.runs.formOf(cell.row.key).catch(() => null);
    if (found && found.folder !== "") return found.folder;
    break;
  }
  return absolute(workspace.path, [...known, ...app.recent]);
}
