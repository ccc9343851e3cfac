import {
  FORMAT_TRAITS,
  type Format,
  type LoopRow,
  type Phase,
  type Problem,
  type StatusWord,
  type Verb,
} from "./bindings";
import { groupOfWord, verbsOfWord } from "./sample-rules";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Where the loops of a format are; those of other tools in a folder of their own. */
const FOLDERS: Readonly<Partial<Record<Format, string>>> = {
  loop_v2: ".workflow/.loop/{id}.json",
  loop_b: ".workflow/.loop/{id}.json",
  aot: ".claude/aot-loop-state.md",
  ralph: ".ralph/{id}/TODO.md",
  v1: ".loop/{id}.json",
  legacy: ".workflow/.loop-sessions/{id}/state.json",
  unknown: ".workflow/.loop/{id}.json",
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
  const file = (FOLDERS[sketch.format] ?? `specs/{id}/${sketch.format}.md`).replace("{id}", sketch.id);
  const verbs = verbsOfWord(sketch.word, sketch.format);
  const [current, limit] = sketch.iteration ?? [0, 0];
  return {
    key: `${sketch.workspace}:${file}`,
    workspace: sketch.workspace,
    id: sketch.format === "aot" ? "aot-loop-state" : sketch.id,
    format: sketch.format,
    handling: FORMAT_TRAITS[sketch.format].handling,
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
    claims: null,
    pull_request: null,
    mode: "auto",
    priority: null,
    tags: [],
    labels: [],
    marks: { pinned: false, archived: false, snoozed_until: null },
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

type Sketched = readonly [
  which: readonly [workspace: string, format: Format, id: string, title: string],
  word: readonly [shown: StatusWord, inFile: string],
  phase: Phase | null,
  iteration: [number, number] | null,
  age: number,
  more?: Partial<LoopRow>,
];

const SKETCHES: readonly Sketch[] = (
  [
    [
      [W1, "loop_v2", "loop-v2-20260122T020000-rate", "Rate-limit the login endpoint"],
      ["interrupted", "running"],
      { kind: "debug", judged: 3, total: 5, confirmed: null },
      [4, 10],
      4 * HOUR,
      { tags: ["auth", "urgent"], priority: "high" },
    ],
    [
      [W2, "aot", "a1", "Migrate sessions to Redis"],
      ["limit_reached", "stopped"],
      { kind: "atoms", resolved: 6, total: 9, ready: 0 },
      [20, 20],
      22 * MINUTE,
      { limit: "iterations", reason: "Max iterations reached", primary: "resume" },
    ],
    [
      [W1, "unknown", "loop-v2-20260122T020000-3fa91c0e", "loop-v2-20260122T020000-3fa91c0e"],
      ["cannot_read", ""],
      null,
      null,
      HOUR,
      { errors: 1, problem: garbage },
    ],
    [
      [W1, "loop_v2", "loop-v2-20260120T101500-aa01", "Upgrade the build to Node 22"],
      ["failed", "failed"],
      { kind: "validate", passed: 17, total: 44 },
      [7, 10],
      26 * HOUR,
      { reason: "Skill execution failed: network unreachable" },
    ],
    [
      [W1, "loop_v2", "loop-v2-20260124T090000-auth", "Implement user authentication"],
      ["running_elsewhere", "running"],
      { kind: "validate", passed: 41, total: 44 },
      [5, 10],
      2 * SECOND,
      { priority: "high", tags: ["auth"] },
    ],
    [
      [W1, "aot", "a2", "Checkout: JWT or session tokens"],
      ["running_elsewhere", "running"],
      { kind: "atoms", resolved: 11, total: 26, ready: 3 },
      [17, 20],
      11 * SECOND,
    ],
    [
      [W3, "loop_b", "loop-b-20260123T110000-k3v9x2ab", "Dark mode for the docs site"],
      ["pausing", "paused"],
      { kind: "workers", phase: "develop", known: "develop", done: 2, total: 5 },
      [1, 10],
      48 * SECOND,
      {
        agent: "elsewhere",
        mode: "auto",
        request: { verb: "pause", at: 0, state: "requested", sent_again: 2, overruled_at: null, asker: null },
      },
    ],
    [
      [W2, "loop_v2", "loop-v2-20260121T150000-inv", "Flaky invoice rounding test"],
      ["running_elsewhere", "running"],
      { kind: "debug", judged: 1, total: 4, confirmed: null },
      [10, 12],
      9 * MINUTE,
    ],
    [
      [W2, "loop_v2", "loop-v2-20260119T080000-prc", "Type the pricing rules"],
      ["paused", "paused"],
      { kind: "develop", done: 2, total: 5 },
      [3, 20],
      20 * HOUR,
    ],
    [
      [W1, "loop_v2", "loop-v2-20260118T080000-imp", "Rewrite the importer"],
      ["stopped", "failed"],
      { kind: "develop", done: 1, total: 6 },
      [2, 10],
      50 * HOUR,
      { reason: "Manually stopped by user" },
    ],
    [
      [W3, "loop_v2", "loop-v2-20260124T100000-new", "Search with typing tolerance"],
      ["not_started", "created"],
      { kind: "not_initialised" },
      [0, 10],
      3 * HOUR,
    ],
    [
      [W3, "loop_b", "loop-b-20260117T110000-uex", "Translate the guides"],
      ["left_by_user", "user_exit"],
      { kind: "workers", phase: "init", known: "init", done: 0, total: 4 },
      [1, 10],
      70 * HOUR,
    ],
    [
      [W1, "loop_v2", "loop-v2-20260116T080000-fin", "Cache the product list"],
      ["completed", "completed"],
      { kind: "complete" },
      [6, 10],
      98 * HOUR,
      { primary: null },
    ],
    [
      [W2, "loop_v2", "loop-v2-20260115T080000-war", "Round money in one place"],
      ["completed_with_warnings", "completed"],
      { kind: "complete" },
      [9, 10],
      120 * HOUR,
      { primary: null },
    ],
    [
      [W2, "v1", "engine-7f", "Nightly dependency audit"],
      ["paused", "paused"],
      { kind: "steps", current: 2, total: 4 },
      [2, 5],
      300 * HOUR,
      { primary: null, verbs: [] },
    ],
    [
      [W3, "legacy", "LOOP-auth-20251201", "Login redesign (first attempt)"],
      ["unknown", "hibernating"],
      null,
      [3, 10],
      900 * HOUR,
      { primary: null, verbs: [] },
    ],
  ] satisfies Sketched[]
).map(([[workspace, format, id, title], [word, fileWord], phase, iteration, age, more]: Sketched) => ({
  ...{ workspace, format, id, title, word, fileWord, phase, iteration, age },
  ...(more ? { more } : {}),
}));

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
