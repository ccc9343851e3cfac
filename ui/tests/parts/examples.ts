import type { Fact, IterationBar, StatusWord, TimeView } from "../../src/host/bindings";

/** What parts are filled with on the page of parts: ids, paths and figures, as files hold them. */
export const PATH = "src/limit/store/redis/sliding-window.ts:88";
export const COMMAND = "claude -p /workflow:ccw-loop-v2 --loop loop-v2-20260124T090000-auth";
export const KEYS = "Ctrl K";
export const IDS = ["H1", "H2", "H3"] as const;
export const FILES = ["src/app.ts", "src/limit/key.ts", "tests/login.spec.ts"] as const;

export function time(ms: number): TimeView {
  return { text: new Date(ms).toISOString(), ms, shifted: false };
}

export function facts(now: number): Fact[] {
  return [
    { name: "loop_id", value: { kind: "code", value: "loop-v2-20260124T090000-auth" } },
    { name: "completed_actions", value: { kind: "list", value: ["INIT", "DEVELOP"] } },
    { name: "created_at", value: { kind: "time", value: time(now - 7_200_000) } },
    { name: "some_field_of_another_tool", value: { kind: "number", value: 1234.5 } },
  ];
}

export const BARS: readonly (readonly [IterationBar, StatusWord])[] = [
  [{ current: 0, limit: 10 }, "not_started"],
  [{ current: 5, limit: 10 }, "running"],
  [{ current: 17, limit: 20 }, "running"],
  [{ current: 20, limit: 20 }, "limit_reached"],
  [{ current: 4, limit: 10 }, "completed"],
];

export const LEFT = [
  "{",
  '  "status": "running",',
  '  "current_iteration": 4,',
  '  "title": "Add login"',
  "}",
];
export const RIGHT = [
  "{",
  '  "status": "paused",',
  '  "current_iteration": 4,',
  '  "title": "Add login",',
  '  "tags": ["auth"]',
  "}",
];
