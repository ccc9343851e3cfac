import type { MenuItem } from "../components/menu";
import type { WorkspaceView } from "../host/bindings";
import { say, t } from "../words/language.svelte";
import { workspaceText } from "../words/phrases";
import type { App } from "./app.svelte";

/** Trusts a folder or no longer does, and announces it. */
async function setTrust(app: App, workspace: WorkspaceView, trusted: boolean): Promise<void> {
  const name = workspaceText(workspace);
  const taken = await app.trust.set(workspace.folder, trusted);
  if (taken)
    app.notices.notify(say(trusted ? t.trustedFolders.trusted : t.trustedFolders.revoked, { path: name }));
  else app.folders.failure = app.trust.refused;
}

function trustItem(app: App, workspace: WorkspaceView): MenuItem {
  const by = app.trust.of(workspace);
  return {
    id: "trust",
    label: by ? t.trustedFolders.untrust : t.common.trustFolder,
    icon: "shield",
    apart: true,
    run: () => void setTrust(app, workspace, !by),
  };
}

/** Saves what Loopdeck keeps about the loops of a folder, or takes it in. */
function historyItems(app: App, workspace: WorkspaceView): MenuItem[] {
  return [
    {
      id: "export-history",
      label: t.historyFile.save,
      icon: "document",
      apart: true,
      run: () =>
        void app.folders.ask(async (host) => {
          const lines = await host.exportHistory(workspace.id);
          if (lines !== null) app.notices.notify(say(t.historyFile.saved, { count: lines }));
        }),
    },
    {
      id: "import-history",
      label: t.historyFile.take,
      icon: "plus",
      run: () =>
        void app.folders.ask(async (host) => {
          const taken = await host.importHistory(workspace.id);
          if (taken) app.notices.notify(say(t.historyFile.taken, { ...taken }));
        }),
    },
  ];
}

/** Every action of a folder. `only` shows its loops alone; of the copy of another machine's folder that is all there is. */
export function folderItems(app: App, workspace: WorkspaceView, only: () => void): MenuItem[] {
  const filter: MenuItem = {
    id: "only",
    label: say(t.sidebar.filterBy, { name: workspaceText(workspace) }),
    icon: "search",
    run: only,
  };
  if (workspace.elsewhere) return [filter];
  return [
    filter,
    {
      id: "reveal",
      label: t.sidebar.reveal,
      icon: "open",
      run: () => void app.folders.ask((host) => host.openWorkspaceFolder(workspace.id)),
    },
    {
      id: "terminal",
      label: t.terminal.open,
      icon: "command",
      run: () => void app.folders.ask((host) => host.openWorkspaceTerminal(workspace.id)),
    },
    { id: "copy", label: t.sidebar.copyPath, icon: "copy", run: () => void app.desktop.copy(workspace.path) },
    trustItem(app, workspace),
    ...historyItems(app, workspace),
    {
      id: "remove",
      label: t.common.removeFromList,
      icon: "close",
      apart: true,
      run: () => void app.folders.remove(workspace.id),
    },
  ];
}
