import type {
  CorrectionKind,
  EntryContent,
  EntryKind,
  EntryPart,
  EventKind,
  EventSays,
  EventView,
  LoopDetail,
  LoopRow,
  TimelineEntry,
} from "./bindings";
import { at, MINUTE } from "./sample-empty";

type Sketch = readonly [
  back: number,
  kind: EventKind,
  iteration: number | null,
  subject: string | null,
  text: string,
  files?: readonly string[],
  says?: EventSays,
];

const TEXT: EventSays = { form: "text" };

function ran(back: number, passed: number, total: number, duration_ms: number): Sketch {
  const says = { form: "test_run", passed, total, duration_ms } as const;
  return [back, "validate_entry", null, null, `${passed}/${total}`, [], says];
}

function corrected(back: number, kind: CorrectionKind, description: string): Sketch {
  const says = { form: "correction", kind, word: kind, description } as const;
  return [back, "correction", null, null, `${kind}: ${description}`, [], says];
}

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
  ran(41, 37, 44, 8_992),
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
  ran(1, 41, 44, 9_072),
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
  corrected(40, "objective_change", "Sessions must survive a restart of Redis"),
];

const LOOP_B: readonly Sketch[] = [
  [30, "develop_entry", 1, null, "Colours as tokens"],
  [12, "debug_entry", 1, null, "The switch keeps the theme of the page before"],
];

function eventOf(
  row: LoopRow,
  [back, kind, iteration, subject, text, files = [], says = TEXT]: Sketch,
): EventView {
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
    says,
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
    const iteration = 1 + Math.floor((index * 40) / count);
    if (kind === "validate_entry") {
      return { ...eventOf(row, ran(back, 30 + (index % 15), 44, 9_000)), iteration };
    }
    const text = `Step ${index + 1} of the long way`;
    return eventOf(row, [back, kind, iteration, kind === "debug_log" ? `H${1 + (index % 4)}` : null, text]);
  });
}

/** What happened to a sample loop, as its files tell it. */
export function sampleEvents(row: LoopRow, detail: LoopDetail): Pick<LoopDetail, "events" | "events_total"> {
  const sketches =
    row.word === "not_started"
      ? []
      : row.format === "loop_v2"
        ? V2
        : row.format === "aot"
          ? AOT
          : row.format === "loop_b"
            ? LOOP_B
            : [];
  const events = sketches.map((sketch) => eventOf(row, sketch));
  for (const { time, action, summary, files_changed, source } of detail.workers) {
    events.push({
      time,
      kind: "worker",
      iteration: 1,
      subject: action,
      text: summary,
      says: TEXT,
      files: files_changed,
      file: source,
    });
  }
  return { events, events_total: events.length };
}

const KINDS: Readonly<Record<EventKind, readonly [EntryKind, EntryPart | null]>> = {
  change_log: ["work", "work"],
  debug_log: ["log", "debug"],
  develop_entry: ["work", "work"],
  debug_entry: ["debug", "debug"],
  validate_entry: ["tests", "tests"],
  summary_entry: ["work", null],
  error: ["errors", null],
  worker: ["work", "work"],
  trail: ["choices", "work"],
  correction: ["corrections", null],
  decomposition: ["choices", "work"],
  plan_log: ["work", "work"],
};

/** An entry with nothing but what every entry has. */
export function plainEntry(
  id: string,
  kind: EntryKind,
  ms: number | null,
  content: EntryContent,
): TimelineEntry {
  return {
    ...{ id, kind, ms, content },
    time: ms === null ? null : at(ms),
    took_ms: null,
    iteration: null,
    said_iteration: null,
    subject: null,
    part: null,
    files: [],
    sources: [],
    version_at: null,
    asker: null,
  };
}

function contentOf({ kind, text, says }: EventView): EntryContent {
  if (says.form === "test_run") {
    const { passed, total } = says;
    return { from: "test_run", passed, total, outcome: passed === total ? "passed" : "failed" };
  }
  if (says.form === "correction") {
    return { from: "correction", kind: says.kind, word: says.word, text: says.description };
  }
  return { from: "event", event: kind, text };
}

/** Events as entries. What `changes.log` of the samples tells, `develop.md` tells too. */
export function sampleEntries(events: readonly EventView[]): TimelineEntry[] {
  return events
    .filter(({ kind }) => kind !== "change_log")
    .map((event, index): TimelineEntry => {
      const { time, kind, iteration, subject, files, file, says } = event;
      const [group, part] = KINDS[kind];
      return {
        ...plainEntry(`${kind}:${index}`, group, time?.ms ?? null, contentOf(event)),
        ...{ time, iteration, said_iteration: iteration, subject, part, files },
        took_ms: says.form === "test_run" ? says.duration_ms : null,
        sources: file === "" ? [] : [file],
      };
    });
}
