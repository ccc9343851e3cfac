import { Channel } from "@tauri-apps/api/core";
import { commands, type Push } from "./bindings";
import type { Host } from "./host";
import type { RunHost } from "./run-host";

// One channel for the life of the window: every channel leaves a handler behind in the web view.
const pushes = new Channel<Push>();

/** The command, for callers who wait only for its end. */
function answersNothing<Arguments extends unknown[]>(
  command: (...args: Arguments) => Promise<unknown>,
): (...args: Arguments) => Promise<void> {
  return async (...args) => void (await command(...args));
}

/** Running loops, in the real window. */
const runs: RunHost = {
  ...commands,
  saveDraft: answersNothing(commands.saveDraft),
  saveTemplate: answersNothing(commands.saveTemplate),
  deleteTemplate: answersNothing(commands.deleteTemplate),
  trust: answersNothing(commands.trust),
  launch: answersNothing(commands.launch),
  pauseNow: answersNothing(commands.pauseNow),
  stopNow: answersNothing(commands.stopNow),
  stopTry: answersNothing(commands.stopTry),
  answer: answersNothing(commands.answer),
  removeAgent: answersNothing(commands.removeAgent),
  setProgram: answersNothing(commands.setProgram),
};

/** The host behind the real window: the generated commands, which know the name and the arguments of each. */
export const tauriHost: Host = {
  ...commands,
  runs,

  subscribe: (onPush) => {
    pushes.onmessage = onPush;
    return commands.subscribe(pushes);
  },
  saveAs: (name, bytes) => commands.saveAs(name, Array.from(bytes)),

  painted: answersNothing(commands.painted),
  visitOverview: answersNothing(commands.visitOverview),
  keepNotes: answersNothing(commands.keepNotes),
  saveAttentionRules: answersNothing(commands.saveAttentionRules),
  act: answersNothing(commands.act),
  editMetadata: answersNothing(commands.editMetadata),
  change: answersNothing(commands.change),
  undo: answersNothing(commands.undo),
  restore: answersNothing(commands.restore),
  removeWorkspace: answersNothing(commands.removeWorkspace),
  openSample: answersNothing(commands.openSample),
  rescan: answersNothing(commands.rescan),
  saveSettings: answersNothing(commands.saveSettings),
  keepLastList: answersNothing(commands.keepLastList),
  startAtSignIn: answersNothing(commands.startAtSignIn),
  installUpdate: answersNothing(commands.installUpdate),
  openFile: answersNothing(commands.openFile),
  openFolder: answersNothing(commands.openFolder),
  openWorkspaceFolder: answersNothing(commands.openWorkspaceFolder),
  openPlace: answersNothing(commands.openPlace),
  tryEditor: answersNothing(commands.tryEditor),
  openAddress: answersNothing(commands.openAddress),
  leaveTeam: answersNothing(commands.leaveTeam),
  shareFolder: answersNothing(commands.shareFolder),
  withdrawRun: answersNothing(commands.withdrawRun),
  forgetRun: answersNothing(commands.forgetRun),
};
