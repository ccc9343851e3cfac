import { Channel, invoke } from "@tauri-apps/api/core";
import type { Push } from "./bindings";
import type { Host } from "./host";
import { tauriRuns } from "./tauri-runs";

// One channel for the life of the window: every channel leaves a handler behind in the web view.
const pushes = new Channel<Push>();

/** The host behind the real window. */
export const tauriHost: Host = {
  runs: tauriRuns,

  startup: () => invoke("startup"),
  painted: () => invoke("painted"),
  subscribe: (onPush) => {
    pushes.onmessage = onPush;
    return invoke("subscribe", { channel: pushes });
  },
  changes: (since) => invoke("changes", { since }),

  openLoop: (key) => invoke("open_loop", { key }),
  workChanges: (key, since) => invoke("work_changes", { key, since }),
  source: (key, first, count) => invoke("source", { key, first, count }),
  document: (key, name, first, count) => invoke("document", { key, name, first, count }),
  tests: (key, query) => invoke("tests", { key, query }),
  test: (key, run, index) => invoke("test", { key, run, index }),
  drawing: (key, direction, collapsed) => invoke("drawing", { key, direction, collapsed }),

  controls: (key) => invoke("controls", { key }),
  act: (key, verb, options) => invoke("act", { key, verb, options }),
  editMetadata: (key, patch) => invoke("edit_metadata", { key, patch }),
  change: (key, change) => invoke("change", { key, change }),
  redirectEffects: (key, change) => invoke("redirect_effects", { key, change }),
  undo: (key) => invoke("undo", { key }),
  recovery: (key) => invoke("recovery", { key }),

  history: (key, limit) => invoke("history", { key, limit }),
  pastChanges: (key, limit) => invoke("past_changes", { key, limit }),
  hypothesisChanges: (key, limit) => invoke("hypothesis_changes", { key, limit }),
  documentHistory: (key, name, limit) => invoke("document_history", { key, name, limit }),
  documentVersion: (key, name, id, first, count) =>
    invoke("document_version", { key, name, id, first, count }),
  timeline: (key) => invoke("timeline", { key }),
  version: (key, id) => invoke("version", { key, id }),
  versionSource: (key, id, first, count) => invoke("version_source", { key, id, first, count }),
  restore: (key, id) => invoke("restore", { key, id }),

  deletion: (key) => invoke("deletion", { key }),
  deleteLoop: (key) => invoke("delete_loop", { key }),

  pickWorkspace: () => invoke("pick_workspace"),
  addWorkspace: (path) => invoke("add_workspace", { path }),
  removeWorkspace: (id) => invoke("remove_workspace", { id }),
  openSample: () => invoke("open_sample"),
  rescan: () => invoke("rescan"),

  closeWindow: (how) => invoke("close_window", { how }),
  saveSettings: (settings) => invoke("save_settings", { settings }),
  openFile: (key) => invoke("open_file", { key }),
  openFolder: (key) => invoke("open_folder", { key }),
  openWorkspaceFolder: (id) => invoke("open_workspace_folder", { id }),
  diagnostics: () => invoke("diagnostics"),
  sights: (key, names) => invoke("sights", { key, names }),
  openPlace: (key, file, line, column) => invoke("open_place", { key, file, line, column }),
  editors: () => invoke("editors"),
  tryEditor: (choice, text) => invoke("try_editor", { choice, text }),
  openAddress: (address) => invoke("open_address", { address }),
  saveAs: (name, bytes) => invoke("save_as", { name, bytes: Array.from(bytes) }),
  link: (key, tab, item) => invoke("link", { key, tab, item }),
};
