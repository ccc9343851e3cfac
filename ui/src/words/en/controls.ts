export const effect = {
  pause_before_next_action: "Takes effect before the next action. The action in progress finishes first.",
  pause_now: "Nobody works on this loop, so the pause takes effect at once.",
  pause_after_iteration:
    "This format has no pause. Loopdeck lets the iteration end, keeps all work, and can continue later.",
  stop_elsewhere:
    "Marks the loop as stopped by you. An agent that runs elsewhere sees it before its next action. Changes in your files stay.",
  stop_now: "Marks the loop as stopped by you. Changes in your files stay.",
  stop_after_iteration: "Asks the loop to stop after this iteration. Changes stay.",
  resume_by_hand:
    "Writes running to the file. Loopdeck does not start agents yet: run {command} in this folder to continue at iteration {iteration} of {limit}.",
  resume_by_hand_resets_atoms: {
    one: "Writes running to the file and sets {count} interrupted atom back to pending. Loopdeck does not start agents yet: run {command} in this folder to continue at iteration {iteration} of {limit}.",
    other:
      "Writes running to the file and sets {count} interrupted atoms back to pending. Loopdeck does not start agents yet: run {command} in this folder to continue at iteration {iteration} of {limit}.",
  },
  start_by_hand:
    "Writes running to the file. Loopdeck does not start agents yet: run {command} in this folder to begin iteration {iteration} of at most {limit}.",
  reopen_by_hand:
    "Sets the ended loop back to running. Loopdeck does not start agents yet: run {command} in this folder to continue at iteration {iteration} of {limit}.",
  reopen_nothing_to_do:
    "Nothing is left to do, so the loop would complete again at once. Change the description first to give it new work. To run it anyway: {command}.",
  finalise: "Writes stopped over the interrupted running. Work in progress is kept as it is.",
  edit_metadata: "Changes title, limits and labels. Nothing else in the file changes.",
  delete: "Moves the loop and its companion files to the system trash.",
} as const;

export const refusal = {
  not_running: "the loop is not running. It is {status}.",
  not_paused: "the loop is not paused. It is {status}.",
  already_paused: "the loop is already {status}.",
  already_running: "the loop is already {status}.",
  finished: "the loop has ended ({status}). Reopen it first.",
  not_finished: "the loop has not ended. It is {status}.",
  running: "not while the loop is {status}. Stop it first.",
  foreign_owner: "somebody else runs this loop ({status}).",
  limit_reached: "all iterations are used ({status}). Raise the limit in the same step.",
  damaged_file: "the file has errors ({status}). Loopdeck does not write to it.",
  id_mismatch: "the id in the file is not the name of the file ({status}).",
  read_only_format: "Loopdeck shows this format and does not control it ({status}).",
  unknown_status: "the format does not have the status {status}.",
  not_in_format: "this format has no such control ({status}).",
  parallel_cannot_pause: "workers in parallel mode do not look for a pause ({status}). Use Stop.",
  gate_not_met: "something the start needs is missing: {field} ({status}).",
  bad_value: "the value of {field} is not accepted ({status}).",
  not_editable: "{field} stands in the file in a shape that cannot be edited safely ({status}).",
} as const;

/** A control with its reason: “Pause: the loop is not running.” */
export const reason = { withVerb: "{verb}: {reason}" } as const;

export const failure = {
  refused: "Refused: {reason} Nothing was written.",
  unknown_loop: "This loop no longer exists.",
  unknown_workspace: "This folder is no longer open.",
  not_a_folder: "{path} is not a folder that can be opened.",
  contended: "Another program kept changing {path}. Five tries did not get through; nothing was written.",
  disk: "The disk refused to write {path}: {reason}",
  unreadable: "{path} cannot be read: {reason}",
  no_trash: "This system has no trash: {reason} Nothing was deleted.",
  own_data: "Loopdeck could not finish this: {reason}",
  cannot_open: "The desktop could not open {path}: {reason}",
  no_undo: "Nothing was written, because the old version could not be kept: {reason}",
  nothing_to_undo: "There is no write of Loopdeck to undo in {path}.",
  changed_since: "{path} was changed by another program after Loopdeck wrote it. Nothing was undone.",
  unknown_version: "That version is not kept any more.",
} as const;

export const failureHint = {
  refused: "Look at the status of the loop, then choose a control that is offered.",
  unknown_loop: "Go back to the list. If the file was moved, open the folder it is in now.",
  unknown_workspace: "Add the folder again.",
  not_a_folder: "Check that the folder exists and that you may open it.",
  contended: "Wait until the agent finishes its action, then try again.",
  disk: "Check free space and permissions of the folder, then try again.",
  unreadable: "Open the file and look at the first problem in Source.",
  no_trash: "Delete the files by hand if you want them gone.",
  own_data: "Try again. If it happens every time, check the permissions of Loopdeck’s data folder.",
  cannot_open: "Copy the path and open it by hand.",
  no_undo: "Free some disk space or check the permissions of Loopdeck’s data folder, then try again.",
  nothing_to_undo: "Look at the history of the loop for older versions.",
  changed_since: "Look at the history and restore the version you want.",
  unknown_version: "Choose another version from the history.",
} as const;

export const dialog = {
  cancel: "Cancel",
  close: "Close",
  stopTitle: "Stop “{title}”?",
  keepRunning: "Keep running",
  stopReason: "Reason",
  stopReasonHelp: "Kept in the file where the format has a place for it.",
  resumeTitle: "Resume “{title}”?",
  startTitle: "Start “{title}”?",
  reopenTitle: "Reopen “{title}”?",
  finaliseTitle: "Mark “{title}” as stopped?",
  pauseTitle: "Pause “{title}”?",
  raiseAndResume: "Raise limit and resume",
  raiseAndReopen: "Raise limit and reopen",
  newLimit: "New iteration limit",
  newLimitHelp: "{current} of {limit} iterations are used. Choose a number from {least} to {most}.",
  copyCommand: "Copy command",
  deleteTitle: "Delete “{title}”?",
  deleteText: {
    one: "{count} file or folder moves to the system trash. It can be restored from there.",
    other: "{count} files and folders move to the system trash. They can be restored from there.",
  },
  deleteConfirm: "Move to trash",
  deleteLoading: "Looking for companion files…",
  metadataTitle: "Edit details of “{title}”",
  metadataNone: "This format has no details that Loopdeck can edit.",
  save: "Save",
  title: "Title",
  description: "Description",
  maxIterations: "Iteration limit",
  tags: "Tags",
  tagsHelp: "Separate tags with commas.",
  priority: "Priority",
  priorityNone: "None",
  priorityLow: "Low",
  priorityMedium: "Medium",
  priorityHigh: "High",
  notes: "Notes",
  titleLength: "The title needs 1 to 100 characters; it has {count}.",
  descriptionAdvice: "{count} of 500 characters advised.",
  limitRange: "The limit is a whole number from 1 to 100.",
  nothingChanged: "Nothing has changed yet.",
} as const;
