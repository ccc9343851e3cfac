/** Folders whose programs may be run. */
export const trustedFolders = {
  title: "Trusted folders",
  help: "In these folders, and in worktrees that it made of them, Loopdeck may run agents and test commands. Nothing is run anywhere else.",
  none: "No folder is trusted.",
  revoke: "Revoke",
  revokeOf: "Revoke trust in {path}",
  revoked: "{path} is not trusted any more. What runs there now goes on.",
  sign: "trusted",
  signText: "Trusted: Loopdeck may run agents and test commands here.",
  trust: "Trust this folder",
  trustText: "Loopdeck may then run agents and the tests of this folder.",
  untrust: "Do not trust this folder",
  trusted: "{name} is trusted.",
  untrusted: "{name} is not trusted any more.",
} as const;

export const notifications = {
  title: "Notifications",
  help: "From the system, when this window is not in front. Never for routine progress.",
  needs_you: "A loop needs you",
  failed: "A loop failed or was interrupted",
  limit: "A loop reached a limit",
  finished: "A loop finished",
  tray: "Keep running in the tray when the window is closed",
  trayHelp: "Loops go on and can still ask you. Otherwise closing the window asks what becomes of them.",
  agents: "Agents",
  agentsHelp: "Programs that Loopdeck can start, and what is wrong with them.",
} as const;
