/** The name of a repair. */
export const repair = {
  recount: "count again",
  split_glued_lines: "one task per line",
  clean_task_list: "clean the task list",
  strip_trailing_garbage: "remove what follows the state",
  reset_orphans: "set tasks back to pending",
  clear_stale_end: "clear the earlier end",
  unknown_status: "write words the format has",
  orphaned_atoms: "set atoms back to pending",
  layout: "write lines as the plugin reads them",
} as const;

/** What a repair will do, shown before the click. */
export const repairEffect = {
  recount: "Writes the counters that follow from the lists. The lists stay as they are.",
  split_glued_lines: "Puts every task of the task list on a line of its own. No task changes.",
  clean_task_list:
    "Takes lines that cannot be read out of the task list. A backup gives back what it knows of them.",
  clean_task_list_counted:
    "Takes lines that cannot be read out of the task list. Tasks given back by a backup: {restored}. Lines lost: {lost}.",
  strip_trailing_garbage:
    "Keeps the complete state at the beginning of the file and removes everything behind it.",
  reset_orphans: "Sets tasks that nobody works on back to pending, so that the agent picks them up again.",
  clear_stale_end: "Removes the reason and time that an earlier end left behind.",
  unknown_status: {
    one: "Replaces {count} status word that the format does not have: stopped for the loop, pending for atoms.",
    other:
      "Replaces {count} status words that the format does not have: stopped for the loop, pending for atoms.",
  },
  orphaned_atoms: {
    one: "Sets {count} atom that nobody works on back to pending.",
    other: "Sets {count} atoms that nobody works on back to pending.",
  },
  layout:
    "Writes lines the way the plugin reads them (rules {rules}). Values stay; comments on these lines are dropped ({comments}).",
} as const;

export const repairs = {
  button: "Repair",
  named: "Repair: {name}",
  command: "Repair: {name} · {title}",
  done: "Repair done: {name}.",
} as const;

/** After a write of ours: what was done, with the way back. */
export const done = {
  undo: "Undo",
  undoHint: "{text} Undo is offered above the tabs.",
  undone: "Undone.",
  recovered: "The file was recovered. The damaged one is kept as {aside}.",
  restored: "The version of {time} is back.",
} as const;

export const recoveryWay = {
  last_good: "Last good version",
  backup: "Backup file",
  prefix: "Beginning of the file",
  rebuilt: "Rebuilt",
} as const;

/** What a way of recovery means, in one sentence. */
export const recoveryWayText = {
  last_good: "The newest version Loopdeck could read. Anything written after it is missing.",
  backup: "The backup that the format keeps beside the file. It can be older than the last version.",
  prefix: "The complete state at the beginning of the damaged file, without what follows it.",
  rebuilt: "Put together from the files beside it. Look at every field before you write it.",
} as const;

/** Where a field of a proposal comes from; files beside the loop are named as they are. */
export const recoverySource = {
  stem: "name of the file",
  prefix: "beginning of the damaged file",
  last_good: "last good version",
  proposed: "proposed by Loopdeck, please check",
  missing: "not found anywhere, left empty",
  backup: "backup file",
} as const;

export const recovery = {
  open: "Recover…",
  command: "Recover {title}",
  title: "Recover “{title}”",
  loading: "Looking for what can be recovered…",
  ways: "Ways to recover",
  there: "In the file now",
  proposal: "Proposal",
  fields: "Where each field comes from",
  field: "Field",
  source: "Source",
  lost: "Could not be recovered",
  lostNone: "Nothing is known to be lost.",
  lossy: "Bytes that are not text were replaced for display. The file set aside keeps them.",
  promise: "Nothing is written until you press the button. The damaged file is kept as {aside}.",
  write: "Write this version",
  changed: "The file changed while you were looking. Look again before you write.",
  again: "Look again",
  noneTitle: "Nothing was found to recover this file from.",
  noneText:
    "Open the file and correct it by hand, or put an older version back from the history. Loopdeck reads the file again as soon as it changes.",
  showHistory: "Show history",
} as const;

export const versionWriter = { ours: "Loopdeck", foreign: "Another program" } as const;

/** What a version of ours was written for. */
export const writeCause = {
  start: "Started",
  pause: "Paused",
  resume: "Resumed",
  stop: "Stopped",
  reopen: "Reopened",
  finalise: "Marked as stopped",
  edit_metadata: "Details edited",
  undo: "Last change undone",
  restore: "Older version restored",
  late: "Late write of another program kept",
  repair: "Repaired",
  recover: "Recovered",
  edit_tasks: "Tasks edited",
  operate: "Step of the work recorded",
  redirect: "Direction changed",
} as const;

export const history = {
  label: "Versions, newest first",
  foreign: "Changed",
  current: "now in the file",
  unreadable: "cannot be read",
  versionName: "{what}, {time}, {who}, {size}",
  empty: "No versions yet",
  emptyHint: "Loopdeck keeps one each time this file changes while Loopdeck is open, whoever changes it.",
  kept: "Versions are kept for 30 days, and the last ten of each loop for longer.",
  older: "Show older versions",
  choose: "Choose a version to see the loop as it was then.",
  chooseKeys: "Arrow keys move, Enter opens.",
  asItWas: "As it was at {time}",
  isNow: "This is what the file says now.",
  parts: "Parts of this version",
  compare: "Compare with now",
  then: "As it was",
  now: "In the file now",
  noRows: "Single tests of an older version are in its source.",
  restore: "Restore this version…",
  restoreTitle: "Restore the version of {time}?",
  restoreText:
    "The file is written as it was then ({size}). What it says now is kept as a version, and Undo puts it back.",
  restoreUnreadable: "This version cannot be read as a loop: the loop is shown as damaged after that.",
  restoreActive: "An agent may be working on this loop and can write over it with what it remembers.",
  restoreConfirm: "Restore",
} as const;

/** What is different between two versions; the name of a thing within a sentence of `changes`. */
export const changed = {
  fact: "{id}",
  task: "Task {id}",
  hypothesis: "Hypothesis {id}",
  root_cause: "Root cause",
  atom: "Atom {id}",
  branch: "Choice of {id}",
  test_run: "Test run {id}",
  worker: "Worker {id}",
  correction: "Correction {id}",
  errors: "Errors noted",
} as const;

export const changes = {
  since: { one: "{count} change since then", other: "{count} changes since then" },
  became: "{what}: {from} → {to}",
  added: "{what}: {to} (new)",
  gone: "{what}: {from} (gone)",
} as const;

export const diff = {
  label: "{left} and {right}, line by line",
  same: "No line differs.",
  count: { one: "{count} place differs", other: "{count} places differ" },
  next: "Next difference",
  previous: "Previous difference",
  tooLong: "More than {count} lines: shown without marks.",
  tooLongToShow: "More than {count} lines: too long to be compared here.",
  cutLines: "Lines are compared up to {count} characters.",
} as const;
