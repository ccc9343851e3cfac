/** Folders whose programs may be run. */
export const trustedFolders = {
  title: "Trusted folders",
  help: "Loopdeck may run agents and test commands in these folders and in worktrees it made of them. It runs nothing anywhere else.",
  none: "No trusted folders.",
  revoke: "Revoke",
  revokeOf: "Revoke trust in {path}",
  revoked: "{path} is no longer trusted. What runs there now continues.",
  sign: "trusted",
  signText: "Trusted: Loopdeck may run agents and test commands here.",
  trust: "Trust this folder",
  trustText: "Loopdeck may then run agents and tests in this folder.",
  untrust: "Stop trusting this folder",
  trusted: "{name} is trusted.",
  untrusted: "{name} is no longer trusted.",
} as const;

export const notifications = {
  title: "Notifications",
  help: "Shown by the system when this window isn’t in front. Never for routine progress.",
  needs_you: "A loop needs you",
  failed: "A loop failed or was interrupted",
  limit: "A loop reached a limit",
  finished: "A loop finished",
  tray: "Keep running in the tray when the window is closed",
  trayHelp: "Loops continue and can still ask you. Otherwise, closing the window asks what to do with them.",
  agents: "Agents",
  agentsHelp: "Agents that Loopdeck can run, and their problems.",
} as const;
