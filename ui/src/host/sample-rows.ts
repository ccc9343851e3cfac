import type { Format, Handling, LoopRow, Phase, Problem, StatusWord, Verb } from "./bindings";
import { groupOfWord, verbsOfWord } from "./sample-rules";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

const FOLDERS: Readonly<Record<Format, string>> = {
  loop_v2: ".workflow/.loop/{id}.json",
  loop_b: ".workflow/.loop/{id}.json",
  aot: ".claude/aot-loop-state.md",
  ralph: ".ralph/{id}/TODO.md",
  v1: ".loop/{id}.json",
  legacy: ".workflow/.loop-sessions/{id}/state.json",
  unknown: ".workflow/.loop/{id}.json",
};

const HANDLING: Readonly<Record<Format, Handling>> = {
  loop_v2: "driven",
  loop_b: "driven",
  aot: "driven",
  ralph: "driven",
  v1: "read_only",
  legacy: "read_only",
  unknown: "read_only",
};

interface Sketch {
  readonly workspace: string;
  readonly id: string;
  readonly format: Format;
  readonly title: string;
  readonly word: StatusWord;
  readonly fileWord: string;
  readonly phase: Phase | null;
  readonly iteration: [number, number] | null;
  readonly age: number;
  readonly more?: Partial<LoopRow>;
}

/** A row from what makes it different. */
export function makeRow(sketch: Sketch, now: number): LoopRow {
  const file = FOLDERS[sketch.format].replace("{id}", sketch.id);
  const verbs = verbsOfWord(sketch.word, sketch.format);
  const [current, limit] = sketch.iteration ?? [0, 0];
  return {
    key: `${sketch.workspace}:${file}`,
    workspace: sketch.workspace,
    id: sketch.format === "aot" ? "aot-loop-state" : sketch.id,
    format: sketch.format,
    handling: HANDLING[sketch.format],
    file,
    title: sketch.title,
    word: sketch.word,
    group: groupOfWord(sketch.word),
    until_opened: sketch.word === "limit_reached" || sketch.word === "failed",
    agent: sketch.word === "running_elsewhere" ? "elsewhere" : "none",
    file_word: sketch.fileWord,
    reason: null,
    limit: null,
    phase: sketch.phase,
    iteration: sketch.iteration ? { current, limit } : null,
    mode: "auto",
    priority: null,
    tags: [],
    labels: [],
    changed: now - sketch.age,
    created: now - sketch.age - 5 * HOUR,
    errors: 0,
    problem: null,
    primary: primaryOf(verbs),
    verbs: [...verbs],
    request: null,
    run: null,
    runner: null,
    ...sketch.more,
  };
}

export function primaryOf(verbs: readonly Verb[]): Verb | null {
  const order: readonly Verb[] = ["start", "resume", "pause", "reopen"];
  return order.find((verb) => verbs.includes(verb)) ?? null;
}

const garbage: Problem = {
  code: "E1_trailing_garbage",
  severity: "error",
  path: "",
  line: 41,
  args: {},
};

const W1 = "w1";
const W2 = "w2";
const W3 = "w3";

const SKETCHES: readonly Sketch[] = [
  {
    workspace: W1,
    id: "loop-v2-20260122T020000-rate",
    format: "loop_v2",
    title: "Rate-limit the login endpoint",
    word: "interrupted",
    fileWord: "running",
    phase: { kind: "debug", judged: 3, total: 5, confirmed: null },
    iteration: [4, 10],
    age: 4 * HOUR,
    more: { tags: ["auth", "urgent"], priority: "high" },
  },
  {
    workspace: W2,
    id: "a1",
    format: "aot",
    title: "Migrate sessions to Redis",
    word: "limit_reached",
    fileWord: "stopped",
    phase: { kind: "atoms", resolved: 6, total: 9, ready: 0 },
    iteration: [20, 20],
    age: 22 * MINUTE,
    more: { limit: "iterations", reason: "Max iterations reached", primary: "resume" },
  },
  {
    workspace: W1,
    id: "loop-v2-20260122T020000-3fa91c0e",
    format: "unknown",
    title: "loop-v2-20260122T020000-3fa91c0e",
    word: "cannot_read",
    fileWord: "",
    phase: null,
    iteration: null,
    age: HOUR,
    more: { errors: 1, problem: garbage },
  },
  {
    workspace: W1,
    id: "loop-v2-20260120T101500-aa01",
    format: "loop_v2",
    title: "Upgrade the build to Node 22",
    word: "failed",
    fileWord: "failed",
    phase: { kind: "validate", passed: 17, total: 44 },
    iteration: [7, 10],
    age: 26 * HOUR,
    more: { reason: "Skill execution failed: network unreachable" },
  },
  {
    workspace: W1,
    id: "loop-v2-20260124T090000-auth",
    format: "loop_v2",
    title: "Implement user authentication",
    word: "running_elsewhere",
    fileWord: "running",
    phase: { kind: "validate", passed: 41, total: 44 },
    iteration: [5, 10],
    age: 2 * SECOND,
    more: { priority: "high", tags: ["auth"] },
  },
  {
    workspace: W1,
    id: "a2",
    format: "aot",
    title: "Checkout: JWT or session tokens",
    word: "running_elsewhere",
    fileWord: "running",
    phase: { kind: "atoms", resolved: 11, total: 26, ready: 3 },
    iteration: [17, 20],
    age: 11 * SECOND,
  },
  {
    workspace: W3,
    id: "loop-b-20260123T110000-k3v9x2ab",
    format: "loop_b",
    title: "Dark mode for the docs site",
    word: "pausing",
    fileWord: "paused",
    phase: { kind: "workers", phase: "develop", known: "develop", done: 2, total: 5 },
    iteration: [1, 10],
    age: 48 * SECOND,
    more: {
      agent: "elsewhere",
      mode: "auto",
      request: { verb: "pause", at: 0, state: "requested", sent_again: 2, overruled_at: null, asker: null },
    },
  },
  {
    workspace: W2,
    id: "loop-v2-20260121T150000-inv",
    format: "loop_v2",
    title: "Flaky invoice rounding test",
    word: "running_elsewhere",
    fileWord: "running",
    phase: { kind: "debug", judged: 1, total: 4, confirmed: null },
    iteration: [10, 12],
    age: 9 * MINUTE,
  },
  {
    workspace: W2,
    id: "loop-v2-20260119T080000-prc",
    format: "loop_v2",
    title: "Type the pricing rules",
    word: "paused",
    fileWord: "paused",
    phase: { kind: "develop", done: 2, total: 5 },
    iteration: [3, 20],
    age: 20 * HOUR,
  },
  {
    workspace: W1,
    id: "loop-v2-20260118T080000-imp",
    format: "loop_v2",
    title: "Rewrite the importer",
    word: "stopped",
    fileWord: "failed",
    phase: { kind: "develop", done: 1, total: 6 },
    iteration: [2, 10],
    age: 50 * HOUR,
    more: { reason: "Manually stopped by user" },
  },
  {
    workspace: W3,
    id: "loop-v2-20260124T100000-new",
    format: "loop_v2",
    title: "Search with typing tolerance",
    word: "not_started",
    fileWord: "created",
    phase: { kind: "not_initialised" },
    iteration: [0, 10],
    age: 3 * HOUR,
  },
  {
    workspace: W3,
    id: "loop-b-20260117T110000-uex",
    format: "loop_b",
    title: "Translate the guides",
    word: "left_by_user",
    fileWord: "user_exit",
    phase: { kind: "workers", phase: "init", known: "init", done: 0, total: 4 },
    iteration: [1, 10],
    age: 70 * HOUR,
  },
  {
    workspace: W1,
    id: "loop-v2-20260116T080000-fin",
    format: "loop_v2",
    title: "Cache the product list",
    word: "completed",
    fileWord: "completed",
    phase: { kind: "complete" },
    iteration: [6, 10],
    age: 98 * HOUR,
  },
  {
    workspace: W2,
    id: "loop-v2-20260115T080000-war",
    format: "loop_v2",
    title: "Round money in one place",
    word: "completed_with_warnings",
    fileWord: "completed",
    phase: { kind: "complete" },
    iteration: [9, 10],
    age: 120 * HOUR,
  },
  {
    workspace: W2,
    id: "engine-7f",
    format: "v1",
    title: "Nightly dependency audit",
    word: "paused",
    fileWord: "paused",
    phase: { kind: "steps", current: 2, total: 4 },
    iteration: [2, 5],
    age: 300 * HOUR,
    more: { primary: null, verbs: [] },
  },
  {
    workspace: W3,
    id: "LOOP-auth-20251201",
    format: "legacy",
    title: "Login redesign (first attempt)",
    word: "unknown",
    fileWord: "hibernating",
    phase: null,
    iteration: [3, 10],
    age: 900 * HOUR,
    more: { primary: null, verbs: [] },
  },
];

/** Loops of every format in the states a person meets. */
export function sampleRows(now: number): LoopRow[] {
  return SKETCHES.map((sketch) => {
    const row = makeRow(sketch, now);
    return row.request ? { ...row, request: { ...row.request, at: row.changed } } : row;
  });
}

const SUBJECTS = [
  "the login form",
  "invoice totals",
  "the search index",
  "session storage",
  "the export",
  "retry rules",
  "the build",
  "error pages",
];
const DEEDS = ["Speed up", "Rewrite", "Test", "Fix", "Document", "Migrate", "Simplify", "Harden"];

/** As many loops as asked for, of the sample's kinds. */
export function manyRows(count: number, now: number): LoopRow[] {
  return Array.from({ length: count }, (_, index) => {
    const sketch = SKETCHES[(index * 7) % SKETCHES.length] as Sketch;
    const title = `${DEEDS[index % 8]} ${SUBJECTS[Math.floor(index / 8) % 8]} ${index + 1}`;
    const id = `${sketch.id}-${index}`;
    const row = makeRow({ ...sketch, id, title, age: sketch.age + index * 37 * SECOND }, now);
    const file = row.file.replace("aot-loop-state", `aot-loop-state-${index}`);
    return { ...row, file, key: `${row.workspace}:${file}` };
  });
}

/** A damaged row after its file was made readable again. */
export function recoveredRow(): Partial<LoopRow> {
  const verbs = verbsOfWord("paused", "loop_v2");
  return {
    format: "loop_v2",
    word: "paused",
    file_word: "paused",
    group: groupOfWord("paused"),
    phase: { kind: "develop", done: 3, total: 5 },
    iteration: { current: 4, limit: 10 },
    errors: 0,
    problem: null,
    verbs: [...verbs],
    primary: primaryOf(verbs),
  };
}
