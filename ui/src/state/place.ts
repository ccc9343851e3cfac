/** The tabs of a loop, in the order of their keys 1 to 7. */
export const TABS = ["overview", "work", "debug", "tests", "activity", "documents", "source"] as const;
export type Tab = (typeof TABS)[number];

/** Where in the window a person is. */
export type Place = { kind: "list" } | { kind: "loop"; key: string; tab: Tab; line: number | null };
