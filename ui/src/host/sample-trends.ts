import type { LoopRow, TrendDay, TrendGroup, TrendQuery, Trends, TrendSum } from "./bindings";

const NOTHING: TrendSum = {
  ended: 0,
  succeeded: 0,
  iterations: null,
  tests_passed: 0,
  tests_total: 0,
  worked_ms: 0,
  cost_usd: null,
};

/** What a day of work looks like, the same for each; weekends are quiet. */
function sampleDay(at: number, index: number): TrendDay {
  const weekday = new Date(at).getDay();
  if (weekday === 0 || weekday === 6) return { ...NOTHING, at, actions: [] };
  const ended = 2 + (index % 3);
  const develop = 2_400_000 + (index % 5) * 600_000;
  return {
    at,
    ended,
    succeeded: ended - (index % 4 === 0 ? 2 : 1) + (index % 3 === 0 ? 1 : 0),
    iterations: 3 + (index % 4) / 2,
    tests_passed: 180 + index,
    tests_total: 212,
    worked_ms: develop * 1.6,
    cost_usd: 0.8 + (index % 6) * 0.45,
    actions: [
      { action: "develop", worked_ms: develop },
      { action: "debug", worked_ms: develop / 3 },
      { action: "validate", worked_ms: develop / 6 },
      { action: "atom", worked_ms: develop / 10 },
    ],
  };
}

/** Trends as the backend would answer, of samples. */
export function sampleTrends(rows: readonly LoopRow[], { days, workspace, agent }: TrendQuery): Trends {
  const isEmpty = rows.length === 0 || agent === "nobody";
  const told = days.map((at, index) => (isEmpty ? { ...NOTHING, at, actions: [] } : sampleDay(at, index)));
  const sum: TrendSum = {
    ...NOTHING,
    ended: told.reduce((total, day) => total + day.ended, 0),
    succeeded: told.reduce((total, day) => total + day.succeeded, 0),
    iterations: 3.5,
    worked_ms: told.reduce((total, day) => total + day.worked_ms, 0),
    cost_usd: told.reduce((total, day) => total + (day.cost_usd ?? 0), 0),
  };
  const group = (names: readonly string[]): TrendGroup[] =>
    isEmpty ? [] : names.map((name) => ({ name, ...sum }));
  const ids = [...new Set(rows.map((row) => row.workspace))].filter((id) => !workspace || id === workspace);
  return {
    days: told,
    workspaces: group(ids),
    agents: group(["Claude Code", "Codex"]),
    formats: group(["loop_v2", "aot"]),
    recipes: group(["build_feature", "fix_bug"]),
    left: 0,
  };
}
