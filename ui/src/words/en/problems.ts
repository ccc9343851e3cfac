/** What is wrong, and what to do about it. */
export const problem = {
  F1_too_large: [
    "The file has {size} bytes; Loopdeck reads up to {limit}.",
    "Find out what makes it grow; a state file is normally a few kilobytes.",
  ],
  F2_not_a_file: ["This is not a regular file ({kind}).", "Replace it with a regular state file."],
  F3_outside_workspace: [
    "A link points outside the workspace, to {target}.",
    "Open the folder that actually contains the file.",
  ],
  F4_not_readable: ["Couldn’t read the file: {reason}.", "Check the permissions of the file."],
  F5_being_written: [
    "The file is empty or still being written.",
    "Nothing to do: Loopdeck checks again when it changes.",
  ],
  F5_empty: ["The file is empty.", "Restore an earlier version, or delete the file."],
  F6_not_utf8: ["The file isn’t UTF-8 text from byte {offset} on.", "Save the file as UTF-8."],
  F7_too_deep: [
    "The file is nested deeper than {limit} levels.",
    "No loop needs to be nested that deep. Restore an earlier version.",
  ],
  F8_folder_gone: [
    "The folder of this loop is gone.",
    "Mount or restore the folder, or remove it from the list.",
  ],
  F9_file_gone: [
    "The state file is gone while its agent is working.",
    "Let the agent finish, or stop it. Then you can restore the file as it was last seen.",
  ],
  E1_not_json: [
    "The file isn’t valid JSON: {reason}.",
    "Fix the line, or restore an earlier version of the file.",
  ],
  E1_trailing_garbage: [
    "Text of an older version follows the end of the state.",
    "Delete everything after the last closing brace of the state.",
  ],
  E2_no_id: ["The file has neither loop_id nor session_id.", "Add a loop_id that matches the file name."],
  E3_no_title: ["The file has no title, description or task description.", "Add a title."],
  E4_no_status: ["The file has no status word.", "Add a status such as paused."],
  E4_unknown_status: ["The format has no status “{found}”.", "Change it to a status of the format."],
  E5_id_mismatch: [
    "The id in the file is “{found}”, but the file name says “{expected}”.",
    "Rename the file or change loop_id, so that they match.",
  ],
  E5_id_is_path: [
    "The id “{found}” contains path characters.",
    "Don’t run this loop until you know where it came from.",
  ],
  E6_bad_iteration: [
    "The iteration numbers aren’t valid: {found}.",
    "Use whole numbers, with a limit of at least 1.",
  ],
  E7_bad_skill_state: [
    "The working state of the skill has the wrong shape: {found}.",
    "Restore an earlier version of the file.",
  ],
  E8_duplicate_key: [
    "The key “{key}” is used twice in one object. Programs disagree on which one counts.",
    "Delete one of the two.",
  ],
  W1_counters: [
    "The counter says {found}, but the list has {expected}.",
    "The list is shown. The agent’s next action usually corrects the counter.",
  ],
  W2_completed_unvalidated: [
    "The loop is completed, but validation didn’t pass.",
    "Check the tests before you trust the result.",
  ],
  W3_initialized_pending: [
    "The loop is initialised, but its status is still pending.",
    "Resume it to set the status.",
  ],
  W4_stale_end: [
    "A reason or time from an earlier end is left over.",
    "Nothing to do: the next start removes it.",
  ],
  W4_missing_end: [
    "The loop ended, but its end time or reason is missing.",
    "See Activity for what happened last.",
  ],
  W5_confirmed_hypothesis: [
    "The root cause is “{found}”, which isn’t a confirmed hypothesis.",
    "Compare the verdicts in Debug.",
  ],
  W5_duplicate_id: ["Two entries have the id “{found}”.", "Give one of them a different id."],
  W6_validation_disagrees: [
    "The file says {found}, but the latest run gives {expected}.",
    "Trust the latest run.",
  ],
  W6_totals_disagree: [
    "The totals of the latest run say {found} failed, but its single tests say {expected}.",
    "Trust the single tests of the latest run.",
  ],
  W7_unknown_word: [
    "The format doesn’t define the word “{found}”.",
    "It is shown as written. Fix it if it’s a typo.",
  ],
  W7_missing_section: [
    "A section of the working state is missing.",
    "Nothing to do unless the agent stops because of it.",
  ],
  W8_out_of_range: [
    "The value {found} is outside the limits of the format.",
    "Edit the details and choose a value within range.",
  ],
  W9_bad_time: [
    "The time “{found}” can’t be read or is in the future.",
    "The file’s modification time is used for sorting.",
  ],
  W9_shifted_time: [
    "Times in this file are 8 h ahead; corrected for display.",
    "Nothing to do: the file keeps its own times.",
  ],
  W10_two_task_files: ["The task list exists in two places; both are shown.", "Keep one of the two files."],
  W10_glued_lines: [
    "Two entries share one line in a file next to the loop; both are shown.",
    "Put each entry on its own line.",
  ],
  W10_bad_line: ["A line in a file next to the loop can’t be read: {found}", "Fix or delete the line."],
  W10_empty_output: [
    "The worker output {file} is empty.",
    "The worker was probably stopped before it wrote its result. Run its action again, or delete the file.",
  ],
  W10_bad_output: [
    "The worker output {file} isn’t a JSON object: {found}",
    "Its result isn’t shown. Run the action again, or fix the file.",
  ],
  W11_orphaned_task: [
    "A task is in progress, but no agent is known to work on it.",
    "The skill picks up only pending tasks. Set it back to pending before you resume.",
  ],
  W12_went_backwards: [
    "{found} is less than the {expected} of an earlier version: an older state was written over a newer one.",
    "Compare the versions in Activity, and restore the newer one if work is missing.",
  ],
  W13_unfinished_change: [
    "Loopdeck closed in the middle of a change. Not yet written: {files}",
    "The next start of Loopdeck completes the change, or reverts it if that fails.",
  ],
  T1_reads_as_new: [
    "The Claude skill reads the empty current action as “not initialised” and may plan the tasks again.",
    "Watch the first action after you resume.",
  ],
  T2_develops_again: [
    "All tasks are completed, but the skill chooses development again.",
    "Nothing to do: the skill moves on to debugging or validation by itself, which costs an iteration.",
  ],
  T2_waits_for_input: [
    "Hypotheses are still open. The skill asks for input next, and in auto mode nobody answers.",
    "Check the hypotheses in Debug. If the loop stalls after you resume it, stop it and run it in a terminal.",
  ],
  T3_limit_leaves_running: [
    "The skill ends at its iteration limit without completing, and leaves the status at running.",
    "Raise the limit to continue, or stop the loop.",
  ],
  T4_never_selected: [
    "The skill never picks failed tasks again: {found}. The loop would continue with debugging.",
    "Set the tasks back to pending, or finish the loop.",
  ],
  T5_validates_for_ever: [
    "Hypothesis {found} is confirmed and no task is pending, so the skill validates again and again.",
    "Only a passed validation ends this. Stop the loop if it doesn’t end.",
  ],
  W12_companion_disagrees: [
    "The loop says {found}, but {file} says {expected}.",
    "An update of the state file was probably lost. Compare it with its history before you resume.",
  ],
  W12_unknown_in_companion: [
    "{file} names “{found}”, which the loop doesn’t have.",
    "An update of the state file was probably lost, or the file is from an earlier run.",
  ],
  V1_no_front_matter: [
    "The file doesn’t begin with front matter.",
    "The first line must be three dashes, followed by the state.",
  ],
  V1_unclosed: [
    "The front matter isn’t closed: it is still being written, or was cut off.",
    "Add the closing line of three dashes, or restore an earlier version.",
  ],
  V1_bad_yaml: ["The front matter isn’t valid YAML: {reason}.", "Fix the line."],
  V1_unescaped_quote: [
    "A quote inside a quoted text isn’t escaped.",
    "Use the repair, or put a backslash before each inner quote.",
  ],
  V2_missing_section: [
    "A section that every loop needs is missing or empty.",
    "Add objective, control and at least one atom.",
  ],
  V3_unknown_status: [
    "The format has no status “{found}”.",
    "Use stopped for the loop, pending for an atom.",
  ],
  V4_bad_number: [
    "The plugin’s shell would misread the number “{found}”.",
    "Write plain digits. Don’t run the plugin on this file until then.",
  ],
  V4_shell_value: [
    "Danger: the plugin’s shell evaluates “{found}”, which can run a command.",
    "Write plain digits instead. Don’t run the plugin in this folder until then.",
  ],
  V5_bad_id: [
    "The atom id “{found}” is missing, repeated or unreadable for the plugin.",
    "Use a unique id of letters, digits and underscores.",
  ],
  V6_ambiguous_field: [
    "Two lines could be read as the same field and have different values: {found}.",
    "Delete or rename one of them.",
  ],
  V7_cycle: ["Dependencies form a cycle: {cycle}.", "Remove one dependency of the cycle."],
  V8_blank_objective: ["A required text of the objective is blank.", "Fill it in before you start the loop."],
  V8_bad_base_case: [
    "The completion check can never pass: {reason}.",
    "Fix the check before you start the loop.",
  ],
  V8_hollow_check: [
    "A check has the same result no matter what was done: {found}.",
    "Replace it with a check that depends on the work.",
  ],
  V9_unknown_dependency: [
    "An atom waits for “{found}”, which doesn’t exist.",
    "Remove the dependency or add the atom.",
  ],
  V10_or_group: [
    "The OR group and its atoms disagree: {found}.",
    "Compare the group with its atoms in Work.",
  ],
  V11_decomposition: [
    "The decomposition and its atoms disagree: {found}.",
    "Compare parent and children in Work.",
  ],
  V12_child_dependency: [
    "A child lacks a dependency of its parent: {found}.",
    "Copy the dependency to the child.",
  ],
  V13_binding: [
    "A resolved atom has no binding, or a binding has no atom: {found}.",
    "Check the result of the atom in Work.",
  ],
  V14_binding_unresolved: [
    "An unresolved atom has a binding: {found}.",
    "It may come from a failed attempt; check before you rely on it.",
  ],
  V15_trail: [
    "A selection has no matching entry in the trail: {found}.",
    "Check the OR group and the trail in Activity.",
  ],
  V16_orphaned_atom: [
    "An atom is in progress, but nobody is known to work on it.",
    "Resume sets it back to pending.",
  ],
  V17_completed_unresolved: [
    "The loop is completed with unresolved atoms: {found}.",
    "Check these atoms before you trust the result.",
  ],
  V17_completed_unverified: [
    "The loop is completed, but its completion check can’t have passed.",
    "Fix the check, then reopen the loop to verify it.",
  ],
  V17_not_verified: [
    "The loop is completed, but Loopdeck has no passing verification on record.",
    "Run the completion checks yourself, or reopen the loop to verify it.",
  ],
  V18_flags: ["Stop or redirect flags contradict the status.", "Resume clears the flags."],
  V19_over_limit: ["{found} exceeds the loop’s own limit of {limit}.", "Raise the limit when you resume."],
  V20_layout: [
    "The plugin would read this line differently ({rule}).",
    "Write the field on one line without a comment.",
  ],
  V20_front_matter_size: [
    "The front matter has {size} KiB. At {limit} KiB the plugin’s hook fails and the status stays running.",
    "Shorten {found}, the largest section: move long texts to files and name them as artifacts.",
  ],
  V22_redirect_undone: [
    "Another program undid your change of direction: {found}.",
    "Compare the versions in Activity, and redirect again if it still applies.",
  ],
  V8_quality_only: [
    "The plugin’s tools don’t judge quality: a list with only quality checks passes there without looking at the work.",
    "Add a check with a command or a file.",
  ],
  V21_variant: [
    "This is from an older version of the format, or a field that no schema lists.",
    "Nothing to do: it is kept as it is.",
  ],
} as const;

/** Where a text stops being JSON, by the words of the reader. */
export const jsonReason = {
  empty: "empty",
  "not UTF-8": "not UTF-8",
  "nested too deeply": "nested too deeply",
  "unexpected end": "unexpected end",
  "text after the end": "text after the end",
  "expected a value": "expected a value",
  "expected an object": "expected an object",
  "expected , or }": "expected , or }",
  "expected an array": "expected an array",
  "expected a string": "expected a string",
  "expected , or ]": "expected , or ]",
  "expected a key": "expected a key",
  "expected :": "expected :",
  "expected a digit": "expected a digit",
  "control character in a string": "control character in a string",
  "expected four hex digits": "expected four hex digits",
  "unknown escape": "unknown escape",
} as const;
