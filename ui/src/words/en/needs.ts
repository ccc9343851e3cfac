/** What loops need of the person, and the answers. */
export const needs = {
  title: "Needs you",
  count: { one: "{count} needs you", other: "{count} need you" },
  ofLoop: { one: "This loop needs you", other: "This loop needs you {count} times" },
  toCheck: "To check",
  checkAll: { one: "Show {count} in the list", other: "Show all {count} in the list" },
  countAsked: { one: "{count} to answer", other: "{count} to answer" },
  countToCheck: { one: "{count} to check", other: "{count} to check" },
  none: "Nothing needs you.",
  noneHint: "Questions, permissions, limits and failures of the loops that Loopdeck runs appear here.",
  stale: "This list may be out of date: Loopdeck couldn’t refresh it.",
  openLoop: "Open {title}",
  showAll: "Show what needs you",
  agents: "Show agents",
  answer: "Answer",
  since: "Waiting since {time} ({age})",
  agent: "Agent",
  folder: "Folder",
  theAgent: "The agent",
  announced: "“{title}” needs you. {text}",
  announcedMore: { one: "{text} And {count} more.", other: "{text} And {count} more." },
  answered: "Answered: {title}.",
  withdrawn: "“{title}” no longer needs an answer.",
  keys: {
    title: "What needs you",
    open: "Show what needs you",
    send: "Send the text",
    close: "Close",
  },

  why: "Why it asks:",
  input: "Exact input",
  fromAgent: "From the agent:",
  fromTests: "From the test command:",
  files: "Files:",
  found: "Found so far:",
  report: "Reported:",
  moreLines: { one: "Show {count} more line", other: "Show {count} more lines" },
  moreCharacters: { one: "Show {count} more character", other: "Show {count} more characters" },
  fewerLines: "Show less",
  cutInput: "Only the first {count} characters are shown. The rest can’t be shown here.",
  cutOf: "Only the first {count} of {all} characters are shown.",
  cutFirst: "To allow it, look at all of it first.",
  showWhole: "Show the whole input",
  hidden: {
    one: "{count} invisible character is written as its code, such as ⟨U+202E⟩.",
    other: "{count} invisible characters are written as their codes, such as ⟨U+202E⟩.",
  },
  noInput: "The agent gave no input.",
  silence: "The agent is waiting. Nothing is allowed until you answer.",

  allowOnce: "Allow once",
  allowForRun: "Allow for this run",
  allowForRunText: "Allow for this run: {tool} is not asked about again until this run ends.",
  deny: "Deny",
  denyNote: "Deny with a note…",
  note: "Note for the agent",
  noteHelp: "Optional. The agent reads it and continues without this.",
  denySend: "Deny with this note",
  back: "Back",

  yourAnswer: "Your answer",
  answerHelp: "{modifier} Enter sends it.",
  say: "Send answer",
  sayHint: "Send and try again",
  tellAgent: "What the agent should know",
  redoAtom: "Keep mine and redo the atom",
  tryAgain: "Try again",
  goOn: "Continue without it",
  allowTool: "Allow {tool} in this loop",
  confirm: "Yes, it is true",
  refute: "No, it isn’t",
  refuteWhy: "What is missing",
  refuteHelp: "Optional. The next atom starts from this.",
  waitsFor: "Dependencies:",
  statement: "To confirm:",
  commands: "Commands:",
  completionCheck: "The completion check",
  unknownChecks: "Checks without a result:",
  allowToolAndRetry: "Allow {tool} and try again",
  stop: "Stop the loop",
  resume: "Start agent and resume",
  startAgain: "Start again",
  resumeNow: "Resume now",
  restore: "Restore the file",
  dismiss: "Dismiss",
  showOutput: "Show output",
  choose: "Next action",

  extend: "Raise limit and resume",
  moreIterations: "More iterations",
  newLimit: "The limit becomes {limit}.",
  minutes: "Minutes after resuming",
  money: "US dollars after resuming",
  tokens: "Tokens after resuming",
  turns: "Turns for each agent run",
  turnsHelp: "Applies to each agent run.",
  anew: "Counting starts over when the loop resumes.",
  badAmount: "Enter a number from {least} to {most}.",

  continuesAt: "Continues at {time} · in {left}",
  continuesSoon: "Continues at {time} · any moment now",
  endsAt: "The usage limit resets at {time} · in {left}.",
  ended: "The usage limit reset at {time}.",
  unknownEnd: "The provider didn’t say when the usage limit resets.",
  optIn: "Loopdeck won’t resume automatically, because waiting is off for this loop.",

  signInHow: "Run this in a terminal, sign in, then try again:",
  signInPlain: "Open a terminal, start the agent there and sign in. Then try again.",

  leftText: "Started by the agent and still running after it ended.",
  leftUnknown: "Loopdeck had no permission to check, or the system can’t tell.",
  pid: "Process",
  name: "Name",
  endThem: { one: "End it", other: "End them" },
  lookAgain: "Check again and end them",

  takenOver:
    "Another Loopdeck took over this loop. Changes to your files were kept; the action runs again when the loop is resumed.",
  actionOfTask: "{action} ({task})",
} as const;

/** How a loop was left when Loopdeck closed or crashed, and what Resume does. */
export const needLeft = {
  finished: "{action} finished after Loopdeck closed. Resume records its result and continues after it.",
  recorded: "{action} finished after Loopdeck closed, and its result is recorded. Resume continues after it.",
  failed:
    "{action} failed after Loopdeck closed. Changes to your files were kept; the action runs again when you resume.",
  cut_off:
    "Loopdeck closed during {action}, which was then cut off. Changes to your files were kept; the action runs again when you resume.",
  between: "No action was running when Loopdeck closed. Resume continues with the next one.",
} as const;

/** Kinds, as short names. */
export const need = {
  permission: "Permission",
  question: "Question",
  menu: "Next action",
  limit_reached: "Limit reached",
  usage_limit: "Usage limit",
  sign_in: "Sign-in",
  failed: "Failed",
  left_over: "Left-over processes",
  interrupted: "Interrupted",
} as const;

/** What is asked, in a sentence. */
export const needSays = {
  permission: "{agent} wants to use {tool}.",
  question: "The loop has a question.",
  menu: "Which action is next?",
  usage_limit: "{agent} has reached its usage limit.",
  usage_limit_waiting: "Waiting for the usage limit of {agent}.",
  sign_in: "{agent} is not signed in.",
  left_over: {
    one: "{count} process is still running after the stop.",
    other: "{count} processes are still running after the stop.",
  },
  left_unknown: "It is unknown whether all processes ended.",
  interrupted: "The run was interrupted.",
  interrupted_waits: "Loopdeck closed while this loop ran.",
} as const;

export const needQuestion = {
  agent_asks: "{agent} has a question.",
  task_failed: { one: "Task {about} failed {count} time.", other: "Task {about} failed {count} times." },
  worker_failed: {
    one: "Worker {about} failed {count} time.",
    other: "Worker {about} failed {count} times.",
  },
  debug_inconclusive: {
    one: "{count} round of debugging found no cause.",
    other: "{count} rounds of debugging found no cause.",
  },
  tests_keep_failing: {
    one: "The same tests failed in {count} run.",
    other: "The same tests failed in {count} runs.",
  },
  answer_unreadable: "Couldn’t read the answer of {agent} to “{about}”.",
  agent_fails: "{agent} doesn’t finish “{about}”.",
  no_tests: "The test command ran no tests.",
  tests_cannot_run: "Couldn’t run the test command.",
  no_tasks: "The loop has no tasks.",
  conflicts: "Workers changed the same files.",
  tool_missing: "Task {about} names the agent {tool}, which isn’t installed.",
  tool_not_allowed: "Task {about} names the agent {tool}, which isn’t allowed in this loop.",
  tool_has_no_level: "Task {about} is read-only, and {tool} has no read-only level.",
  tool_has_no_command: "Task {about} is for the shell, and this loop has no shell command.",
  blocked: "Nothing can start, but there is work left.",
  confirm_assertion: "Is this true? “{about}”",
  verification_unknown: "The completion check had no clear result.",
  checks_changed: "The commands of the completion check were changed outside Loopdeck.",
  not_feasible: "Atom {about} does not look feasible.",
  merge_conflict: "Another change touched the same files as atom {about}.",
} as const;

/** What is wrong with an answer that cannot be read. */
export const answerError = {
  no_object: "The answer contains no JSON object.",
  not_json: "This is not valid JSON.",
  missing: "This part is missing or empty.",
  wrong_type: "This value has the wrong type.",
  unknown_word: "This word is not allowed here.",
  too_many: "There are too many entries.",
  bad_id: "An id must be one word of at most 100 characters without * ` / \\ :",
  repeated_id: "This id is used twice.",
  bad_path: "A path must be relative to the folder, without “..”.",
  wrong_task: "This is not the task that was given.",
  not_confirmed: "The confirmed hypothesis must be listed as confirmed.",
  out_of_range: "A score must be a number from 1 to 5.",
} as const;

/** One line of it: where, what, and what stands there. */
export const answerErrorLine = {
  at: "{place}: {error}",
  found: "{line} Found: {found}",
} as const;

/** What going on means for each question. */
export const needGoOn = {
  agent_asks: "Let the agent decide",
  task_failed: "Leave the task as failed",
  worker_failed: "Continue without the worker",
  debug_inconclusive: "Keep debugging",
  tests_keep_failing: "Keep trying",
  answer_unreadable: "Continue without it",
  agent_fails: "Continue without it",
  no_tests: "Complete without tests",
  tests_cannot_run: "Complete without tests",
  no_tasks: "Continue without tasks",
  conflicts: "The files are right, continue",
  tool_missing: "Use {agent} instead",
  tool_not_allowed: "Use {agent} instead",
  tool_has_no_level: "Use {agent} instead",
  tool_has_no_command: "Use {agent} instead",
  blocked: "Continue anyway",
  confirm_assertion: "Continue anyway",
  checks_changed: "Run these commands",
  not_feasible: "Work on it anyway",
  merge_conflict: "Use the worker’s version",
  verification_unknown: "Continue anyway",
} as const;

export const needLimit = {
  iterations: "All iterations are used.",
  time: "The time limit is used up.",
  money: "The money limit is used up.",
  tokens: "The token limit is used up.",
  turns: "The agent run used up its turns.",
  stalls: "Too many iterations without progress.",
  choices: "Every alternative failed.",
  otherwise: "A limit was reached.",
} as const;

export const needFailed = {
  skill_missing:
    "{agent} doesn’t have the command {command}: the skill isn’t installed there. Nothing was done.",
  skill_unfinished: "{agent} finished, but the file still says running.",
  file_gone: "The state file disappeared while {agent} was working. Changes to your files were kept.",
  marked_failed: "Another program set the status to failed while {agent} is still working.",
  work_kept: "Changes from a git worktree are not in the folder. Git keeps them under these references.",
  task_failed: "{agent} ended with an error.",
  limit: "{agent} has reached its usage limit.",
  auth: "{agent} is not signed in.",
  budget: "The run used up its budget.",
  cancelled: "The run was cancelled.",
  crashed: "{agent} ended without a result.",
  unknown: "{agent} exited, and the outcome is unknown.",
  unknown_argument:
    "{agent} didn’t start: this version doesn’t know one of its arguments. Check “More arguments”, or install another version.",
  damaged: "The state file can’t be used, so the run ended.",
  otherwise: "The run failed.",
} as const;

/** The menu of an interactive loop. */
export const needAction = {
  init: { name: "Plan", text: "Reads the work and splits it into tasks." },
  develop: { name: "Develop", text: "Works on the next open task and changes files." },
  debug: { name: "Debug", text: "Finds the cause of failures by testing hypotheses." },
  validate: { name: "Validate", text: "Runs the test command and reads its results." },
  complete: { name: "Complete", text: "Writes the summary and ends the loop." },
  exit: { name: "Leave", text: "Leaves the loop as it is. You can reopen it later." },
} as const;

/** One reason below a question, in a line. */
export const needLine = {
  waits_for: "{about} waits for {id}.",
  waits_for_child: "{about} waits for {id}, which is part of it.",
  waits_for_no_child: "{about} was split, and one of its parts doesn’t exist.",
  depends_on_missing: "{about} depends on {id}, which doesn’t exist.",
  last_choice_failed: "{about} failed, and {group} has no other alternative.",
  not_selected: "{about} is not the selected alternative of {group}.",
  no_choice: "{about}: {group} has no alternative that can be selected.",
  cycle: "These wait for each other: {cycle}.",
  more: "… and {count} more.",
  never_passes: "{about} can never pass: {reason}.",
  no_threshold: "{about}: it has no threshold to pass.",
  too_long: "{about}: it is longer than 4,000 characters, so it isn’t run.",
  outside: "{about}: its path leads out of the folder of the loop.",
  too_many: "{about}: the folder has too many files to look through.",
  not_judged: "{about}: the judge gave no usable scores.",
  no_result: "{about}: it has no result.",
} as const;

/** Why a check has no result. */
export const checkUnknown = {
  no_threshold: "It has no threshold to pass.",
  too_long: "It is longer than 4,000 characters, so it isn’t run.",
  outside: "Its path leads out of the folder of the loop.",
  too_many: "The folder has too many files to look through.",
  not_judged: "The judge gave no usable scores.",
} as const;

/** Why a completion check can never pass, within a sentence. */
export const checkFlaw = {
  missing: "there is no check",
  empty_checklist: "the checklist is empty",
  empty_group: "a group has no items",
  empty_any_of: "a list of alternatives has no items",
  no_check: "an item has no check",
  empty_value: "a check has no value",
  unknown_type: "the type of a check is unknown",
  bad_weights: "the weights of a rubric add up to nothing",
} as const;
