/** Follow-up work of a completed loop. */
export const followUp = {
  title: "Follow-up work",
  help: "Starts a new loop from what this one did. You can change the form before anything runs.",
  start: "Start a loop…",
  startNamed: "Start a loop: {kind}",
  parent: "Follows from {title}",
  child: "{kind}: {title}",
  children: "Loops that follow from this one",
  filled: "Filled in from “{title}”. The new loop's description names that loop.",
  kind: { test: "Tests", enhance: "Enhancement", refactor: "Refactoring", doc: "Documentation" },
  /** The goal of the new loop; the facts come below it. */
  goal: {
    test: "Extend the tests of the work done in “{title}”.",
    enhance: "Enhance the work done in “{title}”: add what it still lacks.",
    refactor: "Refactor the code changed in “{title}” without changing what it does.",
    doc: "Document the work done in “{title}”.",
  },
  because: {
    not_validated: "No test run passed.",
    skipped_tests: {
      one: "{count} test was skipped in the last run.",
      other: "{count} tests were skipped in the last run.",
    },
    covered: "The last run covered {count}% of the statements.",
    tests_passed: {
      one: "{count} test passed in the last run.",
      other: "{count} tests passed in the last run.",
    },
    tasks_left: { one: "{count} task is not completed.", other: "{count} tasks are not completed." },
    tasks_done: { one: "{count} task is completed.", other: "{count} tasks are completed." },
    files_changed: { one: "{count} file was changed.", other: "{count} files were changed." },
  },
} as const;
