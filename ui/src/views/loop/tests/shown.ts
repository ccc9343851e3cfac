/** What is shown below the figures of a run. */
export type Shown = "tests" | "coverage" | "runs";
