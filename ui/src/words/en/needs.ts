/** What loops need of the person, and the answers. */
export const needs = {
  title: "Needs you",
  count: { one: "{count} needs you", other: "{count} need you" },
  ofLoop: { one: "This loop needs you", other: "This loop needs you {count} times" },
  none: "Nothing needs you.",
  noneHint: "Questions, permissions, limits and failures of the loops that Loopdeck runs appear here.",
  stale: "This list may be old: it could not be read again.",
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
  withdrawn: "“{title}” does not wait for an answer any more.",
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
  cutInput: "Only the first {count} characters are shown. There is more that cannot be seen here.",
  cutOf: "Only the first {count} of {all} characters are shown.",
  cutFirst: "It can be allowed after you have looked at all of it.",
  showWhole: "Show the whole input",
  hidden: {
    one: "{count} character that cannot be seen is written as its number, such as ⟨U+202E⟩.",
    other: "{count} characters that cannot be seen are written as their numbers, such as ⟨U+202E⟩.",
  },
  noInput: "The agent gave no input.",
  silence: "The agent waits. Nothing is allowed until you answer.",

  allowOnce: "Allow once",
  allowForRun: "Allow for this run",
  allowForRunText: "Allow for this run: {tool} is not asked about again until this run ends.",
  deny: "Deny",
  denyNote: "Deny with a note…",
  note: "Note for the agent",
  noteHelp: "Optional. The agent reads it and goes on without this.",
  denySend: "Deny with this note",
  back: "Back",

  yourAnswer: "Your answer",
  answerHelp: "{modifier} Enter sends it.",
  say: "Send answer",
  sayHint: "Send and try again",
  tellAgent: "What the agent should know",
  tryAgain: "Try again",
  goOn: "Go on without it",
  stop: "Stop the loop",
  resume: "Start agent and resume",
  startAgain: "Start again",
  resumeNow: "Resume now",
  restore: "Put the file back",
  dismiss: "Dismiss",
  showOutput: "Show output",
  choose: "Next action",

  extend: "Raise limit and resume",
  moreIterations: "More iterations",
  newLimit: "The limit becomes {limit}.",
  minutes: "Minutes for the new start",
  money: "US dollars for the new start",
  tokens: "Tokens for the new start",
  turns: "Turns for each agent run",
  turnsHelp: "Each agent run has its own.",
  anew: "Counting begins anew with the start.",
  badAmount: "A number from {least} to {most}.",

  continuesAt: "Continues at {time} · in {left}",
  continuesSoon: "Continues at {time} · any moment now",
  endsAt: "The provider serves again at {time} · in {left}.",
  ended: "The provider serves again since {time}.",
  unknownEnd: "The provider did not say when it serves again.",
  optIn: "Loopdeck does not continue by itself, because waiting was not chosen for this loop.",

  signInHow: "Run this in a terminal, sign in, then try again:",
  signInPlain: "Open a terminal, start the agent there once and sign in. Then try again.",

  leftText: "Started by the agent, and still there after it ended.",
  leftUnknown: "Loopdeck had no permission to look, or the system cannot tell.",
  pid: "Process",
  name: "Name",
  endThem: { one: "End it", other: "End them" },
  lookAgain: "Look again and end them",

  interruptedText:
    "Its driver ended with the Loopdeck that started it. What the agent did in your files stays; the action is done again.",
  takenOver:
    "Another Loopdeck has taken over this loop. What the agent did in your files stays; the action is done again by whoever resumes.",
  interruptedAction: "It was doing: {action}.",
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
  question: "There is a question.",
  menu: "Which action is next?",
  usage_limit: "{agent} has reached its usage limit.",
  usage_limit_waiting: "Waiting for the usage limit of {agent}.",
  sign_in: "{agent} is not signed in.",
  left_over: {
    one: "{count} process is left after the stop.",
    other: "{count} processes are left after the stop.",
  },
  left_unknown: "Nobody can tell whether all processes ended.",
  interrupted: "The run was interrupted.",
} as const;

export const needQuestion = {
  agent_asks: "{agent} asks you something.",
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
  answer_unreadable: "The answer of {agent} to “{about}” cannot be read.",
  agent_fails: "{agent} does not finish “{about}”.",
  no_tests: "The test command ran no test.",
  tests_cannot_run: "The test command could not be run.",
  no_tasks: "The loop has no tasks.",
  conflicts: "Workers changed the same files.",
} as const;

/** What is wrong with an answer that cannot be read. */
export const answerError = {
  no_object: "There is no JSON object in the answer.",
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
} as const;

/** One line of it: where, what, and what stands there. */
export const answerErrorLine = {
  at: "{place}: {error}",
  found: "{line} Found: {found}",
} as const;

/** What going on means for each question. */
export const needGoOn = {
  agent_asks: "Let the agent decide",
  task_failed: "Leave the task failed",
  worker_failed: "Go on without the worker",
  debug_inconclusive: "Keep debugging",
  tests_keep_failing: "Keep trying",
  answer_unreadable: "Go on without it",
  agent_fails: "Go on without it",
  no_tests: "Complete without tests",
  tests_cannot_run: "Complete without tests",
  no_tasks: "Go on without tasks",
  conflicts: "The files are right, go on",
} as const;

export const needLimit = {
  iterations: "All iterations are used.",
  time: "The time limit is used up.",
  money: "The money limit is used up.",
  tokens: "The token limit is used up.",
  turns: "The agent run used up its turns.",
  otherwise: "A limit is reached.",
} as const;

export const needFailed = {
  skill_missing:
    "{agent} does not know the command {command}: the skill is not installed there. Nothing was done.",
  skill_unfinished: "{agent} came to its end, but the file still says running.",
  file_gone: "The state file went away while {agent} was at work. What was done in the folder stays.",
  marked_failed: "The file was set to failed from outside while {agent} is still at work.",
  task_failed: "{agent} ended with an error.",
  limit: "{agent} has reached its usage limit.",
  auth: "{agent} is not signed in.",
  budget: "The run used up what it was allowed.",
  cancelled: "The run was cancelled.",
  crashed: "{agent} ended without a result.",
  unknown: "{agent} ended, and nobody can tell how.",
  damaged: "The state file cannot be used, so the run ended.",
  otherwise: "The run failed.",
} as const;

/** Actions of an interactive Loop-B. */
export const needAction = {
  init: { name: "Plan", text: "Reads the work and splits it into tasks." },
  develop: { name: "Develop", text: "Works on the next open task and changes files." },
  debug: { name: "Debug", text: "Looks for the cause of what fails, with hypotheses." },
  validate: { name: "Validate", text: "Runs the test command and reads its results." },
  complete: { name: "Complete", text: "Sums up the work and ends the loop." },
} as const;
