/** The tabs of a loop, in the order of their keys 1 to 8. */
export const TABS = [
  "overview",
  "work",
  "debug",
  "tests",
  "activity",
  "documents",
  "source",
  "history",
] as const;
export type Tab = (typeof TABS)[number];

/** Where in the window a person is. */
export type Place = { kind: "list" } | { kind: "loop"; key: string; tab: Tab; line: number | null };
