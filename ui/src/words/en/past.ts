/** The name of a repair. */
export const repair = {
  recount: "recount",
  split_glued_lines: "one task per line",
  clean_task_list: "clean the task list",
  strip_trailing_garbage: "remove text after the state",
  reset_orphans: "set tasks back to pending",
  clear_stale_end: "clear the earlier end",
  unknown_status: "replace unknown statuses",
  orphaned_atoms: "set atoms back to pending",
  unescaped_quotes: "escape quotes",
  layout: "fix the layout for the plugin",
} as const;

/** What a repair will do, shown before the click. */
export const repairEffect = {
  recount: "Recalculates the counters from the lists. The lists stay as they are.",
  split_glued_lines: "Puts every task of the task list on a line of its own. No task changes.",
  clean_task_list: "Removes unreadable lines from the task list. Tasks that a backup has are restored.",
  clean_task_list_counted:
    "Removes unreadable lines from the task list. Tasks restored from a backup: {restored}. Lines lost: {lost}.",
  strip_trailing_garbage:
    "Keeps the complete state at the beginning of the file and removes everything after it.",
  reset_orphans: "Sets tasks that nobody is working on back to pending, so the agent picks them up again.",
  clear_stale_end: "Removes the reason and time left over from an earlier end.",
  unknown_status: {
    one: "Replaces {count} unknown status: stopped for the loop, pending for atoms.",
    other: "Replaces {count} unknown statuses: stopped for the loop, pending for atoms.",
  },
  orphaned_atoms: {
    one: "Sets {count} atom that nobody is working on back to pending.",
    other: "Sets {count} atoms that nobody is working on back to pending.",
  },
  unescaped_quotes: {
    one: "Escapes the quotes inside the text on line {line}. Nothing else changes.",
    other:
      "Escapes the quotes inside texts on {count} lines, the first is line {line}. Nothing else changes.",
  },
  layout:
    "Rewrites lines the way the plugin reads them (rules {rules}). Values stay the same; comments on these lines are removed ({comments}).",
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
  undoHint: "{text} You can undo it above the tabs.",
  undone: "Undone.",
  recovered: "File recovered. The damaged file is kept as {aside}.",
  restored: "Restored the version of {time}.",
} as const;

export const recoveryWay = {
  last_good: "Last good version",
  backup: "Backup file",
  prefix: "Readable part of the file",
  elsewhere: "Found in another file",
  rebuilt: "Rebuilt",
} as const;

/** What a way of recovery means, in one sentence. */
export const recoveryWayText = {
  last_good: "The newest version that Loopdeck could read. Later changes are missing.",
  backup: "The format’s own backup, next to the file. It can be older than the last version.",
  prefix: "The part of the damaged file that can be read. Missing fields start empty.",
  elsewhere: "This loop's state from another loop's file: the two files were swapped.",
  rebuilt:
    "Combined from the damaged file, the last good version and the files next to it, newest first. Check every field before you write it.",
} as const;

/** Where a field of a proposal comes from; files beside the loop are named as they are. */
export const recoverySource = {
  stem: "file name",
  prefix: "damaged file",
  elsewhere: "another loop's file",
  last_good: "last good version",
  proposed: "proposed by Loopdeck, check it",
  missing: "not found, left empty",
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
  lost: "Not in this proposal",
  lostNone: "Nothing known is lost.",
  figures: "Brings back {count} of {total} known values.",
  another: "This file contains another loop's state.",
  typeIn: "Fill in missing values",
  typeInHelp: "Loopdeck made these values up. What you enter replaces them when you write this version.",
  lossy: "Bytes that aren’t text were replaced for display. The damaged file keeps the originals.",
  promise: "Nothing is written until you press the button. The damaged file is kept as {aside}.",
  write: "Write this version",
  changed: "The file has changed since. Check again before you write.",
  again: "Check again",
  noneTitle: "Nothing found to recover this file from.",
  noneText:
    "Fix the file yourself, or restore an older version from History. Loopdeck reads the file again when it changes.",
  showHistory: "Show history",
} as const;

/** API fields that can be typed in, under the names people know. */
export const apiField = {
  title: "Title",
  description: "Description",
  status: "Status",
  current_iteration: "Current iteration",
  max_iterations: "Iteration limit",
  created_at: "Created at (UTC)",
  tags: "Tags, separated by commas",
  priority: "Priority",
  notes: "Notes",
} as const;

/** A status that a recovered loop can be given. */
export const statusChoice = {
  created: "Not started",
  running: "Running (shown as interrupted)",
  paused: "Paused",
  completed: "Completed",
  failed: "Failed",
  user_exit: "Left by user",
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
  late: "Late change by another program kept",
  repair: "Repaired",
  recover: "Recovered",
  edit_tasks: "Tasks edited",
  move_tasks: "Tasks edited; list moved to where the upstream server reads it",
  new_loop: "Replaced by a new loop",
  operate: "Step recorded",
  redirect: "Direction changed",
} as const;

export const history = {
  label: "Versions, newest first",
  foreign: "Changed",
  current: "now in the file",
  unreadable: "unreadable",
  versionName: "{what}, {time}, {who}, {size}",
  empty: "No versions yet",
  emptyHint: "Loopdeck saves a version each time this file changes while Loopdeck is open.",
  kept: "Versions are kept for 30 days, and the last 10 of each loop for longer.",
  older: "Show older versions",
  choose: "Choose a version to see the loop as it was then.",
  chooseKeys: "Arrow keys move, Enter opens.",
  asItWas: "As it was at {time}",
  isNow: "This is the current content of the file.",
  parts: "Parts of this version",
  compare: "Compare with now",
  then: "As it was",
  now: "In the file now",
  noRows: "The single tests of an older version are in its source.",
  restore: "Restore this version…",
  restoreTitle: "Restore the version of {time}?",
  restoreText:
    "Writes this version to the file ({size}). The current content is kept as a version, and you can undo this.",
  restoreUnreadable: "This version can’t be read as a loop, so the loop will be shown as damaged.",
  restoreActive: "An agent may be working on this loop and may overwrite the restored version.",
  restoreConfirm: "Restore",
} as const;

/** What is different between two versions; the name of a thing within a sentence of `changes`. */
export const changed = {
  fact: "{id}",
  task: "Task {id}",
  listed_task: "Task {id} from tasks.jsonl",
  hypothesis: "Hypothesis {id}",
  root_cause: "Root cause",
  atom: "Atom {id}",
  branch: "Choice of {id}",
  test_run: "Test run {id}",
  worker: "Worker {id}",
  correction: "Correction {id}",
  errors: "Errors",
} as const;

export const changes = {
  since: { one: "{count} change since then", other: "{count} changes since then" },
  became: "{what}: {from} → {to}",
  added: "{what}: {to} (new)",
  gone: "{what}: {from} (removed)",
} as const;

export const diff = {
  label: "{left} and {right}, line by line",
  same: "No differences.",
  count: { one: "{count} difference", other: "{count} differences" },
  next: "Next difference",
  previous: "Previous difference",
  tooLong: "More than {count} lines: differences aren’t marked.",
  tooLongToShow: "More than {count} lines: too long to compare here.",
  cutLines: "Only the first {count} characters of each line are compared.",
} as const;
