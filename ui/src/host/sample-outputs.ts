import type { LoopRow, LoopRun, OutputKind, OutputRow, RunOutcome, RunRow, StatusWord } from "./bindings";
import type { MemoryHost } from "./memory";
import { groupOfWord, verbsOfWord } from "./sample-rules";
import { SAMPLE_CHANGES, SAMPLE_TOTALS } from "./sample-run-changes";

const SECOND = 1000;
const MINUTE = 60 * SECOND;

/** Kind, text, name, and what else differs. */
type Sketch = readonly [OutputKind, string, string?, Partial<OutputRow>?];

const row = (at: number, [kind, text, name = "", more = {}]: Sketch): OutputRow => ({
  at,
  kind,
  name,
  text,
  cut: null,
  ok: null,
  depth: 0,
  ...more,
});

const RED = "\u001b[31m";
const GREEN = "\u001b[32m";
const YELLOW = "\u001b[1;33m";
const DIM = "\u001b[2m";
const OFF = "\u001b[0m";

const tests = Array.from({ length: 41 }, (_, index) =>
  index === 17
    ? `test auth::token::refresh_rotates_the_old_token ... ${RED}FAILED${OFF}`
    : `test auth::token::case_${String(index + 1).padStart(2, "0")} ... ${GREEN}ok${OFF}`,
).join("\n");

/** What an agent says while it works on a task: every kind of row once. */
const WORK: readonly Sketch[] = [
  ["note", "512", "dropped"],
  ["started", "claude-sonnet-5 · acceptEdits · 2.1.328"],
  ["text", "I will make the refresh token rotate: the old one must be refused after its first use."],
  [
    "thinking",
    "The store keeps a family id per login. Rotation means a new row and `revoked_at` on the old one.",
  ],
  ["tool_start", JSON.stringify({ pattern: "refresh", path: "src/auth", output_mode: "content" }), "Grep"],
  [
    "tool_end",
    "src/auth/refresh.rs:31:pub fn refresh(old: &Token) -> Result<Token, AuthError> {\nsrc/auth/store.rs:140:    pub fn revoke(&mut self, id: TokenId) {",
    "",
    { ok: true },
  ],
  [
    "edit",
    JSON.stringify({
      file_path: "src/auth/refresh.rs",
      old_string: "    store.issue(old.user)",
      new_string: "    store.revoke(old.id);\n    store.issue(old.user)",
    }),
    "Edit",
  ],
  ["tool_end", "The file src/auth/refresh.rs has been updated.", "", { ok: true }],
  ["tool_start", JSON.stringify({ description: "Look for callers", prompt: "Who calls refresh()?" }), "Task"],
  ["text", "Three callers: the login route, the background renewal and one test.", "", { depth: 1 }],
  ["tool_start", JSON.stringify({ file_path: "src/auth/routes.rs" }), "Read", { depth: 1 }],
  ["tool_end", "Three callers, all of them hold the result.", "", { ok: true, depth: 1 }],
  ["tool_start", JSON.stringify({ command: "cargo test auth", timeout: 120000 }), "Bash"],
  ["stderr", `${YELLOW}warning${OFF}: unused variable: \`claims\`\n  --> src/auth/refresh.rs:28:9`],
  [
    "tool_end",
    `running 41 tests\n${tests}\n\ntest result: ${RED}FAILED${OFF}. 40 passed; 1 failed; ${DIM}finished in 0.41s${OFF}`,
    "",
    { ok: false },
  ],
  ["permission", JSON.stringify({ command: "git push origin main" }), "Bash"],
  ["denied", "Pushing is not part of this task.", "Bash"],
  ["retry", "529 the provider is overloaded", "1/10 0.6 s"],
  ["warning", "The context window is 80 % full; older tool results are left out.", "context"],
  [
    "tool_end",
    `${"assertion `left == right` failed: old token still accepted\n".repeat(8)}…`,
    "",
    { ok: false, cut: 48_213 },
  ],
  ["text", "The store compared the family, not the token. With the id compared, the old token is refused."],
  ["other", '{"type":"rate_limit_event","status":"allowed","resetsAt":1795176000}'],
  ["usage", "↑ 18204 · ↓ 1312 · 0.0914 USD"],
  [
    "finished",
    "The old refresh token is refused after its first use; 41 of 41 tests pass.",
    "completed",
    { ok: true },
  ],
];

const PLAIN = [
  "Compiling storefront v0.4.1 (~/code/storefront)",
  `${GREEN}    Finished${OFF} test profile in 2.31s`,
  "     Running tests/auth.rs",
  `test login::limits_per_tenant ... ${GREEN}ok${OFF}`,
  `test login::session_cookie ... ${GREEN}ok${OFF}`,
  "note: a very long line that does not fit beside the others, because it lists every path that was looked at: src/auth/mod.rs, src/auth/token.rs, src/auth/refresh.rs, src/auth/store.rs, src/auth/routes.rs, src/limit/mod.rs, src/limit/window.rs",
  "全部测试已完成：41 项通过 · すべて完了",
];

/** As many rows as asked for, of all kinds; the last of them are the newest. */
export function sampleOutput(count: number, began: number, ended = true): OutputRow[] {
  const last = WORK.at(-1) as Sketch;
  return Array.from({ length: count }, (_, index) => {
    const at = began + Math.floor(index * 700);
    if (index === count - 1 && ended) return row(at, last);
    const within = WORK[index % 40];
    if (within && within !== last && index % 400 < 200) return row(at, within);
    return row(at, ["text", `${PLAIN[index % PLAIN.length]}`]);
  });
}

/** A test command that says a line at a time, very many of them. */
export function manyLines(count: number, began: number): OutputRow[] {
  return Array.from({ length: count }, (_, index) => {
    const at = began + Math.floor(index / 5);
    if (index % 2_500 === 1_700) return row(at, ["stderr", `error: case ${index} timed out after 30 s`]);
    const case_ = `case ${String(index).padStart(6, "0")} of the importer keeps the order of ${(index * 37) % 91} lines`;
    return row(at, ["text", `${case_} ... ${GREEN}ok${OFF}`]);
  });
}

export function sampleRun(id: string, started: number, more: Partial<RunRow>): RunRow {
  return {
    id,
    action: "develop",
    task: null,
    iteration: 1,
    agent: "Claude Code",
    agent_id: "claude",
    level: null,
    worktree: null,
    model: "claude-sonnet-5",
    started,
    ended: started + 4 * MINUTE + 12 * SECOND,
    outcome: "ok",
    message: null,
    denied: 0,
    tokens: 41_230,
    cost_usd: 0.21,
    exit_code: 0,
    argv: [
      "/home/ana/.local/bin/claude",
      "-p",
      "--output-format",
      "stream-json",
      "--verbose",
      "--tools",
      "Read,Glob,Grep,Edit,Write,NotebookEdit",
      "--permission-mode",
      "acceptEdits",
      "--settings",
      '{"disableAllHooks": true}',
    ],
    folder: "~/code/storefront",
    environment: ["LOOPDECK_RUN_ID", "CLAUDE_CODE_MAX_RETRIES"],
    session: "6f1c2c1e-5f0a-4c3e-9a52-7a3f1f6d2b10",
    resumed: null,
    changes: null,
    checked: null,
    unread: [],
    pid: 48_211,
    stop: null,
    unconcluded: false,
    rows: 0,
    log: `~/.local/share/loopdeck/runs/${id}/log`,
    ...more,
  };
}

const working = (more: Partial<LoopRun>): LoopRun => ({
  agent: "Claude Code",
  level: "edit_files",
  alive: true,
  action: "validate",
  last_output: Date.now() - 12 * SECOND,
  cost_usd: 2.1,
  tokens: 412_300,
  stop: null,
  needs: 0,
  workers: [],
  ...more,
});

function become(host: MemoryHost, one: LoopRow, word: StatusWord, more: Partial<LoopRow>): void {
  const verbs = verbsOfWord(word, one.format);
  const primary = verbs.find((verb) => ["start", "resume", "pause", "reopen"].includes(verb)) ?? null;
  host.write(one.key, { word, group: groupOfWord(word), verbs: [...verbs], primary, ...more });
}

/** Iteration, action, task, outcome: what a loop has gone through, oldest first. */
const WAY: readonly (readonly [number, string, string | null, RunOutcome])[] = [
  [1, "init", null, "ok"],
  [2, "develop", "task-001", "ok"],
  [2, "develop", "task-002", "task_failed"],
  [2, "develop", "task-002", "ok"],
  [3, "validate", null, "task_failed"],
  [4, "debug", null, "ok"],
  [4, "debug", null, "limit"],
  [4, "debug", null, "ok"],
  [5, "develop", "task-003", "ok"],
];

function past(prefix: string, now: number): RunRow[] {
  return WAY.map(([iteration, action, task, outcome], index) => {
    const test = action === "validate";
    const ended = outcome === "ok" ? 0 : 1;
    return sampleRun(`${prefix}-${index + 1}`, now - (WAY.length - index + 1) * 7 * MINUTE, {
      iteration,
      action,
      task,
      outcome,
      agent: test ? "" : "Claude Code",
      model: test ? null : "claude-sonnet-5",
      argv: test ? ["/bin/sh", "-c", "cargo test --workspace"] : sampleRun("", 0, {}).argv,
      tokens: test ? null : 38_000 + index * 911,
      cost_usd: test ? null : index === 1 ? 0.004 : 0.12 + index * 0.04,
      denied: index === 3 ? 2 : 0,
      changes: test || action === "init" ? null : SAMPLE_TOTALS,
      exit_code: ended,
      message: outcome === "limit" ? "You have reached your usage limit; it resets at 17:00." : null,
    });
  }).reverse();
}

function rowsFor(host: MemoryHost, runs: readonly RunRow[], count: number): void {
  for (const run of runs) {
    const rows = sampleOutput(count, run.started, run.ended !== null);
    host.runs.outputOf.set(run.id, rows);
    run.rows = rows.length;
  }
}

const find = (host: MemoryHost, title: string) => host.rows().find((one) => one.title.startsWith(title));

/** One that is running tests now, with everything it went through before. */
function running(host: MemoryHost, now: number): void {
  const one = find(host, "Implement user");
  if (!one) return;
  const live = sampleRun("auth-10", now - 4 * MINUTE, {
    iteration: 5,
    action: "develop",
    task: "task-004",
    ended: null,
    outcome: null,
    exit_code: null,
    tokens: null,
    cost_usd: null,
  });
  const runs = [live, ...past("auth", now)];
  rowsFor(host, runs, 200);
  host.runs.runsOf.set(one.key, runs);
  for (const { id, changes } of runs) if (changes) host.runs.changesOf.set(id, SAMPLE_CHANGES);
  const run = working({ action: "develop" });
  become(host, one, "running", { agent: "ours", run, changed: now - 12 * SECOND });
}

/** One with 50,000 lines of a test command. */
function large(host: MemoryHost, now: number): void {
  const one = find(host, "Checkout");
  if (!one) return;
  const live = sampleRun("jwt-2", now - 9 * MINUTE, {
    iteration: 17,
    action: "validate",
    agent: "",
    model: null,
    ended: null,
    outcome: null,
    exit_code: null,
    tokens: null,
    cost_usd: null,
    rows: 50_000,
  });
  const before = sampleRun("jwt-1", now - 30 * MINUTE, { iteration: 16, agent: "Codex", cost_usd: null });
  host.runs.outputOf.set(live.id, manyLines(50_000, live.started));
  host.runs.outputOf.set(before.id, sampleOutput(120, before.started));
  host.runs.droppedOf.set(live.id, 1_234);
  host.runs.runsOf.set(one.key, [live, before]);
  const run = working({ agent: "Codex", level: "full_access", cost_usd: null, last_output: now - SECOND });
  become(host, one, "running", { agent: "ours", run, changed: now - SECOND });
}

/** One that could not begin: its own first line says why. */
function failed(host: MemoryHost, now: number): void {
  const one = find(host, "Upgrade the build");
  if (!one) return;
  const run = sampleRun("node-1", now - 26 * 60 * MINUTE, {
    iteration: 7,
    agent: "Gemini CLI",
    model: null,
    outcome: "unknown",
    ended: now - 26 * 60 * MINUTE + 900,
    message: "Unknown arguments: skip-trust, skipTrust",
    exit_code: 1,
    tokens: null,
    cost_usd: null,
    session: null,
    argv: ["/usr/bin/gemini", "-o", "stream-json", "--skip-trust", "--approval-mode", "auto_edit"],
  });
  const says = [
    "Unknown arguments: skip-trust, skipTrust",
    "",
    "Options:",
    "  -m, --model   Model  [string]",
  ];
  const rows = says.map((text, index) => row(run.started + 200 + index, ["stderr", text]));
  host.runs.outputOf.set(run.id, rows);
  host.runs.runsOf.set(one.key, [{ ...run, rows: rows.length }]);
  const about = working({ agent: "Gemini CLI", alive: false, action: null, cost_usd: null, tokens: null });
  become(host, one, "failed", { run: about, changed: one.changed, reason: one.reason });
}

/** One that was stopped and left a process behind. */
function stopped(host: MemoryHost, now: number): void {
  const one = find(host, "Rewrite the importer");
  if (!one) return;
  const stop = { result: "left" as const, ended: 3, processes: [{ pid: 4711, name: "node" }] };
  const run = sampleRun("imp-1", now - 20 * MINUTE, {
    iteration: 2,
    agent: "Qwen Code",
    outcome: "cancelled",
    ended: now - 3 * MINUTE,
    exit_code: null,
    cost_usd: null,
    tokens: 9_120,
    stop,
  });
  rowsFor(host, [run], 60);
  host.runs.runsOf.set(one.key, [run]);
  const about = working({
    agent: "Qwen Code",
    alive: false,
    action: null,
    cost_usd: null,
    tokens: 9_120,
    stop,
  });
  become(host, one, "not_fully_stopped", { run: about, changed: now - 3 * MINUTE, agent: "gone" });
}

/** One whose agent is to pause, and one that says nothing. */
function waiting(host: MemoryHost, now: number): void {
  const pausing = find(host, "Dark mode");
  if (pausing) {
    const live = sampleRun("dark-1", now - 12 * MINUTE, { ended: null, outcome: null, exit_code: null });
    rowsFor(host, [live], 80);
    host.runs.runsOf.set(pausing.key, [live]);
    const request = {
      verb: "pause" as const,
      at: now - 48 * SECOND,
      state: "in_effect" as const,
      sent_again: 0,
      asker: null,
      overruled_at: null,
    };
    const run = working({ action: "develop" });
    become(host, pausing, "pausing", { run, request, agent: "ours", changed: now - 48 * SECOND });
  }
  const silent = find(host, "Flaky invoice");
  if (silent) {
    const argv = [
      "/usr/bin/codex",
      "exec",
      "--json",
      "-s",
      "workspace-write",
      "-C",
      "/home/ana/code/billing-core",
      "-",
    ];
    const live = sampleRun("inv-1", now - 9 * MINUTE, {
      agent: "Codex",
      model: null,
      action: "debug",
      iteration: 10,
      ended: null,
      outcome: null,
      exit_code: null,
      tokens: null,
      cost_usd: null,
      session: null,
      argv,
    });
    host.runs.outputOf.set(live.id, [
      row(now - 9 * MINUTE + 400, ["stderr", "Reading prompt from stdin..."]),
    ]);
    host.runs.runsOf.set(silent.key, [live]);
    const run = working({ agent: "Codex", action: "debug", last_output: null, cost_usd: null, tokens: null });
    become(host, silent, "silent", { run, agent: "ours", changed: now - 9 * MINUTE });
  }
}

/** Makes loops of the sample run, or have run, as Loopdeck's own. */
export function playRuns(host: MemoryHost, now = Date.now()): void {
  for (const play of [running, large, failed, stopped, waiting]) play(host, now);
}

/**
 * Lets a run continue: a number of rows at a time, each time with a tick of its loop. The returned
 * function ends it.
 */
export function goOn(host: MemoryHost, title: string, rows: number, every: number): () => void {
  const one = find(host, title);
  const live = one && host.runs.runsOf.get(one.key)?.[0];
  const said = live && host.runs.outputOf.get(live.id);
  if (!one?.run || !said) return () => undefined;
  const timer = setInterval(() => {
    const now = Date.now();
    for (const more of manyLines(rows, now)) {
      said.push({ ...more, text: `${said.length} ${more.text}` });
    }
    host.write(one.key, { run: { ...(one.run as LoopRun), last_output: now } });
  }, every);
  return () => clearInterval(timer);
}
