import type { EventKind, EventView, LoopDetail, LoopRow } from "./bindings";
import { at, MINUTE } from "./sample-empty";

type Sketch = readonly [
  back: number,
  kind: EventKind,
  iteration: number | null,
  subject: string | null,
  text: string,
  files?: readonly string[],
];

const V2: readonly Sketch[] = [
  [
    290,
    "develop_entry",
    null,
    "task-001",
    "Store the token hash with an expiry",
    ["src/auth/token.ts", "src/auth/store.ts"],
  ],
  [
    290,
    "change_log",
    null,
    "task-001",
    "Store the token hash with an expiry",
    ["src/auth/token.ts", "src/auth/store.ts"],
  ],
  [
    284,
    "develop_entry",
    null,
    "task-004",
    "Write unit tests for login, logout and lock-out",
    ["test/auth/login.test.ts", "test/auth/lockout.test.ts"],
  ],
  [
    281,
    "develop_entry",
    null,
    "task-001",
    "Hash and expiry are written in one statement; the old column stays for a release.",
    ["src/auth/token.ts", "src/auth/store.ts", "src/auth/clock.ts"],
  ],
  [72, "error", null, "DEVELOP", "tool call timed out after 600 s"],
  [58, "develop_entry", null, "task-002", "Refuse a refresh with a rotated token", ["src/auth/refresh.ts"]],
  [41, "validate_entry", null, null, "37/44"],
  [38, "debug_entry", null, null, "Initial Exploration"],
  [36, "debug_log", null, "H1", 'use {"order":["limiter","handler"]}'],
  [35, "debug_log", null, "H2", 'bucketKey {"tenant":"a","key":"login:10.0.0.1"}'],
  [35, "debug_log", null, "H2", 'bucketKey {"tenant":"b","key":"login:10.0.0.1"}'],
  [34, "debug_log", null, "H3", 'touch {"ttl":-1}'],
  [12, "debug_entry", null, null, "Evidence Analysis"],
  [
    9,
    "develop_entry",
    null,
    "task-005",
    "Keep the tenant id in the counter key, so that two tenants never share one bucket again",
    ["src/limit/key.ts"],
  ],
  [1, "validate_entry", null, null, "41/44"],
];

const AOT: readonly Sketch[] = [
  [140, "decomposition", null, "A2", "A3, A4: split hashing and token"],
  [120, "trail", null, "A4", "token_method: JWT is stateless"],
  [
    64,
    "trail",
    null,
    "A4_alt",
    "token_method: JWT failed: key rotation breaks refresh, switching to sessions",
  ],
  [40, "correction", null, null, "objective_change: Sessions must survive a restart of Redis"],
];

function eventOf(row: LoopRow, [back, kind, iteration, subject, text, files = []]: Sketch): EventView {
  const file: Readonly<Partial<Record<EventKind, string>>> = {
    develop_entry: "develop.md",
    change_log: "changes.log",
    debug_log: "debug.log",
    debug_entry: "debug.md",
  };
  const name = file[kind];
  return {
    time: at(row.changed - back * MINUTE),
    kind,
    iteration,
    subject,
    text,
    files: [...files],
    file: name ? `${row.id}.progress/${name}` : "",
  };
}

/** As many events as a window gets at most, over four days. */
export function manyEvents(row: LoopRow, count: number): EventView[] {
  const kinds: readonly EventKind[] = [
    "debug_log",
    "develop_entry",
    "validate_entry",
    "debug_entry",
    "error",
  ];
  return Array.from({ length: count }, (_, index) => {
    const kind = index % 9 < 5 ? "debug_log" : (kinds[index % kinds.length] ?? "debug_log");
    const back = ((count - index) * 5_760) / count;
    const text = kind === "validate_entry" ? `${30 + (index % 15)}/44` : `Step ${index + 1} of the long way`;
    const iteration = 1 + Math.floor((index * 40) / count);
    return eventOf(row, [back, kind, iteration, kind === "debug_log" ? `H${1 + (index % 4)}` : null, text]);
  });
}

/** What happened to a sample loop, as its files tell it. */
export function sampleEvents(row: LoopRow, detail: LoopDetail): Pick<LoopDetail, "events" | "events_total"> {
  const sketches =
    row.word === "not_started" ? [] : row.format === "loop_v2" ? V2 : row.format === "aot" ? AOT : [];
  const events = sketches.map((sketch) => eventOf(row, sketch));
  for (const { time, action, summary, files_changed, source } of detail.workers) {
    events.push({
      time,
      kind: "worker",
      iteration: 1,
      subject: action,
      text: summary,
      files: files_changed,
      file: source,
    });
  }
  return { events, events_total: events.length };
}
