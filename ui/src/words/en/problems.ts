/** What is wrong, and what to do about it. */
export const problem = {
  F1_too_large: [
    "The file has {size} bytes; Loopdeck reads up to {limit}.",
    "Look at what makes it grow; a state file is normally a few kilobytes.",
  ],
  F2_not_a_file: ["This is not a regular file ({kind}).", "Put a regular state file in its place."],
  F3_outside_workspace: [
    "A link leads out of the workspace to {target}.",
    "Open the folder the file really is in.",
  ],
  F4_not_readable: ["The system refused to read the file: {reason}.", "Check the permissions of the file."],
  F5_being_written: [
    "The file is empty or still being written.",
    "Nothing to do: Loopdeck looks again when it changes.",
  ],
  F6_not_utf8: ["The file is not UTF-8 text from byte {offset} on.", "Save the file as UTF-8."],
  F7_too_deep: [
    "The file is nested deeper than {limit} levels.",
    "No loop is nested that deep; restore an earlier version.",
  ],
  F8_folder_gone: [
    "The folder of this loop is gone.",
    "Mount or restore the folder, or remove it from the list.",
  ],
  F9_file_gone: [
    "The state file is gone while its agent is at work.",
    "Let the agent finish or stop it; then the file can be put back as it was last seen.",
  ],
  E1_not_json: [
    "The file is not valid JSON: {reason}.",
    "Correct the line, or restore an earlier version of the file.",
  ],
  E1_trailing_garbage: [
    "After the end of the state there is text of an older version.",
    "Delete everything after the last closing brace of the state.",
  ],
  E2_no_id: ["The file has neither loop_id nor session_id.", "Add a loop_id that equals the file name."],
  E3_no_title: ["The file has no title, description or task description.", "Add a title."],
  E4_no_status: ["The file has no status word.", "Add a status such as paused."],
  E4_unknown_status: [
    "The format does not have the status “{found}”.",
    "Correct the status to a word of the format.",
  ],
  E5_id_mismatch: [
    "The id in the file is “{found}”, the file name says “{expected}”.",
    "Rename the file or correct loop_id, so that both agree.",
  ],
  E5_id_is_path: [
    "The id “{found}” contains characters of a path.",
    "Do not run this loop before you know where it came from.",
  ],
  E6_bad_iteration: [
    "The iteration numbers cannot be used: {found}.",
    "Write whole numbers, with a limit of at least 1.",
  ],
  E7_bad_skill_state: [
    "The working state of the skill has a wrong shape: {found}.",
    "Restore an earlier version of the file.",
  ],
  E8_duplicate_key: [
    "The key “{key}” stands twice in one object; readers disagree which one counts.",
    "Delete one of the two.",
  ],
  W1_counters: [
    "The counter says {found}, the list has {expected}.",
    "The list is shown. The next action of the agent usually corrects the counter.",
  ],
  W2_completed_unvalidated: [
    "The loop is completed although validation did not pass.",
    "Look at the tests before you trust the result.",
  ],
  W3_initialized_pending: [
    "The loop is initialised but its status is still pending.",
    "Resume it to set the status.",
  ],
  W4_stale_end: [
    "A reason or time of an earlier end is left over.",
    "Nothing to do: the next start removes it.",
  ],
  W4_missing_end: [
    "The loop ended, but its end time or reason is missing.",
    "Look at Activity for what happened last.",
  ],
  W5_confirmed_hypothesis: [
    "The root cause names “{found}”, which is not a confirmed hypothesis.",
    "Compare the verdicts in Debug.",
  ],
  W5_duplicate_id: ["Two entries have the id “{found}”.", "Give one of them another id."],
  W6_validation_disagrees: [
    "The file says {found}, the latest run gives {expected}.",
    "Trust the latest run.",
  ],
  W6_totals_disagree: [
    "The totals of the latest run say {found} failed, its single tests say {expected}.",
    "Trust the single tests of the latest run.",
  ],
  W7_unknown_word: [
    "The format does not define the word “{found}”.",
    "It is shown as written. Correct it if it is a typing error.",
  ],
  W7_missing_section: [
    "A section of the working state is missing.",
    "Nothing to do unless the agent stops at it.",
  ],
  W8_out_of_range: [
    "The value {found} is beyond the limits of the format.",
    "Edit the details and choose a value in range.",
  ],
  W9_bad_time: [
    "The time “{found}” cannot be read or lies in the future.",
    "The file’s own change time is used for sorting.",
  ],
  W9_shifted_time: [
    "Times in this file are 8 h ahead; corrected for display.",
    "Nothing to do: the file keeps its own times.",
  ],
  W10_two_task_files: ["The task list exists in two places; both are shown.", "Keep one of the two files."],
  W10_glued_lines: [
    "Two entries stand on one line beside the loop; both are shown.",
    "Put each entry on its own line.",
  ],
  W10_bad_line: ["A line beside the loop cannot be read: {found}", "Correct or delete the line."],
  W11_orphaned_task: [
    "A task is in progress and no agent is known to work on it.",
    "The skill picks up only pending tasks: set it back before you resume.",
  ],
  W12_went_backwards: [
    "{found} is less than the {expected} of an earlier version: a writer has put back an older state.",
    "Compare the versions in Activity, and restore the newer one if work is missing.",
  ],
  T1_reads_as_new: [
    "The Claude skill reads the empty current action as not initialised and may plan the tasks again.",
    "Watch the first action after you resume.",
  ],
  T2_develops_again: [
    "All tasks are completed, yet the skill’s order chooses development again.",
    "Nothing to do: the skill goes on to debugging or validation by itself, at the cost of an iteration.",
  ],
  T2_waits_for_input: [
    "Hypotheses are still open: the skill asks for input next, and in auto mode nobody answers.",
    "Look at the hypotheses in Debug. If the loop stalls after you resume it, stop it and run it in a terminal.",
  ],
  T3_limit_leaves_running: [
    "The skill ends at its iteration limit without completing and leaves the status at running.",
    "Raise the limit to go on, or stop the loop.",
  ],
  T4_never_selected: [
    "The skill never selects failed tasks again: {found}. The loop would go on with debugging.",
    "Set the tasks back to pending, or finish the loop.",
  ],
  T5_validates_for_ever: [
    "Hypothesis {found} is confirmed and no task is pending: by its order the skill validates again and again.",
    "Only a passed validation ends it. Stop the loop if it does not come to an end.",
  ],
  W12_companion_disagrees: [
    "The loop says {found}, {file} beside it says {expected}.",
    "An update of the state file was probably lost. Compare with its history before you resume.",
  ],
  W12_unknown_in_companion: [
    "{file} names “{found}”, which the loop does not have.",
    "An update of the state file was probably lost, or the file is of an earlier run.",
  ],
  V1_no_front_matter: [
    "The file does not begin with front matter.",
    "The first line must be three dashes, followed by the state.",
  ],
  V1_unclosed: [
    "The front matter is not closed: still being written, or cut off.",
    "Add the closing line of three dashes, or restore an earlier version.",
  ],
  V1_bad_yaml: ["The front matter is not valid YAML: {reason}.", "Correct the line."],
  V2_missing_section: [
    "A section that every loop needs is missing or empty.",
    "Add objective, control and at least one atom.",
  ],
  V3_unknown_status: [
    "The format does not have the status “{found}”.",
    "Write stopped for the loop, pending for an atom.",
  ],
  V4_bad_number: [
    "The plugin’s shell would misread the number “{found}”.",
    "Write plain digits. Do not run the plugin on this file before.",
  ],
  V5_bad_id: [
    "The atom id “{found}” is missing, repeated or not readable for the plugin.",
    "Use a unique id of letters, digits and underscores.",
  ],
  V6_ambiguous_field: [
    "Two lines could be taken for one field and have different values: {found}.",
    "Delete or rename one of them.",
  ],
  V7_cycle: ["Dependencies form a circle: {cycle}.", "Remove one dependency of the circle."],
  V8_blank_objective: ["A text that the objective needs is blank.", "Fill it in before the loop is started."],
  V8_bad_base_case: [
    "The completion check can never pass: {reason}.",
    "Correct the check before the loop is started.",
  ],
  V8_hollow_check: [
    "A check has the same result whatever the work is: {found}.",
    "Replace it with a check that looks at the work.",
  ],
  V9_unknown_dependency: [
    "An atom waits for “{found}”, which does not exist.",
    "Remove the dependency or add the atom.",
  ],
  V10_or_group: ["OR group and atoms disagree: {found}.", "Compare the group with its atoms in Work."],
  V11_decomposition: ["Decomposition and atoms disagree: {found}.", "Compare parent and children in Work."],
  V12_child_dependency: [
    "A child lacks a dependency of its parent: {found}.",
    "Copy the dependency to the child.",
  ],
  V13_binding: [
    "A resolved atom has no binding, or a binding belongs to no atom: {found}.",
    "Look at the result of the atom in Work.",
  ],
  V14_binding_unresolved: [
    "An unresolved atom has a binding: {found}.",
    "It may come from a failed attempt; check before you rely on it.",
  ],
  V15_trail: [
    "A selection has no matching entry in the trail: {found}.",
    "Look at the OR group and the trail in Activity.",
  ],
  V16_orphaned_atom: [
    "An atom is in progress and nobody is known to work on it.",
    "Resume sets it back to pending.",
  ],
  V17_completed_unresolved: [
    "The loop is completed with unresolved atoms: {found}.",
    "Check these atoms before you trust the result.",
  ],
  V17_completed_unverified: [
    "The loop is completed, but its completion check cannot have passed.",
    "Correct the check, then reopen the loop to have it verified.",
  ],
  V18_flags: ["Stop or redirect flags contradict the status.", "Resume clears the flags."],
  V19_over_limit: ["{found} is beyond the loop’s own limit {limit}.", "Raise the limit when you resume."],
  V20_layout: [
    "The plugin would read this line differently ({rule}).",
    "Write the field on one line without a comment.",
  ],
  V21_variant: [
    "A shape of an older version, or a field no schema lists.",
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
