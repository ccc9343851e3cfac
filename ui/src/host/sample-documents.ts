import type { DocumentView, LoopDetail, LoopRow, VersionView } from "./bindings";
import { sampleDetail } from "./sample-details";
import { MINUTE } from "./sample-empty";

/** A text next to a loop in memory. */
type Texts = Readonly<Record<string, readonly string[]>>;

const stamp = (ms: number) => new Date(ms).toISOString();

function head(row: LoopRow, title: string): string[] {
  return [
    `# ${title}`,
    "",
    `**Loop ID**: ${row.id}`,
    `**Task**: ${row.title}`,
    `**Started**: ${stamp(row.changed - 95 * MINUTE)}`,
    "",
    "---",
    "",
  ];
}

function develop(row: LoopRow, { tasks }: LoopDetail): string[] {
  return [
    ...head(row, "Development Progress"),
    "## Task List",
    "",
    ...tasks.map((task, at) => `${at + 1}. [${task.status === "completed" ? "x" : " "}] ${task.description}`),
    "",
    "---",
    "",
    "## Progress Timeline",
    "",
    ...tasks.flatMap((task, at) => [
      `### Iteration ${at + 1} - ${task.description} (${stamp(row.changed - (60 - at * 15) * MINUTE)})`,
      "",
      "#### Task Details",
      "",
      `- **ID**: ${task.id}`,
      `- **Tool**: ${task.tool ?? "claude"}`,
      `- **Mode**: ${task.mode ?? "write"}`,
      "",
      "#### Implementation Summary",
      "",
      "The store keeps a *hash* of the token, never the token itself. See [debug.md](debug.md) for what the " +
        "log said, and [the RFC](https://www.rfc-editor.org/rfc/rfc6749#section-6) on refreshing.",
      "",
      "```ts",
      "export async function rotate(old: Token): Promise<Token> {",
      "  const kept = await store.take(hashOf(old)); // one refresh wins, the others are refused",
      '  if (!kept) throw new Refused("revoked");',
      "  return issue(kept.subject);",
      "}",
      "```",
      "",
      "#### Files Changed",
      "",
      ...(task.files_planned.length > 0
        ? task.files_planned.map((file) => `- \`${file}\``)
        : ["- No files changed"]),
      "",
      `#### Status: ${task.status.toUpperCase()}`,
      "",
      "---",
      "",
    ]),
  ];
}

function debug(row: LoopRow, { debug }: LoopDetail): string[] {
  return [
    ...head(row, "Understanding Document"),
    "## Exploration Timeline",
    "",
    `### Iteration 1 - Initial Exploration (${stamp(row.changed - 38 * MINUTE)})`,
    "",
    "#### Current Understanding",
    "",
    "- Error pattern: expected 423, got 401",
    "- Affected areas: `src/limit/key.ts`, `src/limit/store.ts`",
    "",
    "#### Hypotheses",
    "",
    ...(debug?.hypotheses ?? []).flatMap((one) => [
      `**${one.id}**: ${one.description}`,
      `- Testable condition: ${one.testable_condition}`,
      `- Logging point: ${one.logging_point}`,
      `- Likelihood: ${one.likelihood ?? ""}`,
      "",
    ]),
    `### Iteration 2 - Evidence Analysis (${stamp(row.changed - 12 * MINUTE)})`,
    "",
    "> The counter itself is right; the key it is kept under is not.",
    "",
    "#### Corrected Understanding",
    "",
    "- ~~Redis loses the counter~~ → all tenants share one bucket",
    "  - Why wrong: the TTL counts down after every hit",
    "",
    "#### Root Cause Identified",
    "",
    "**H2**: The counter key drops the tenant id",
    "",
  ];
}

function validate(row: LoopRow, { validation }: LoopDetail): string[] {
  const run = validation?.runs.at(-1);
  return [
    ...head(row, "Validation Report"),
    "### Test Execution Summary",
    "",
    "| Metric | Value |",
    "|--------|------:|",
    `| Total Tests | ${run?.total ?? 0} |`,
    `| Passed | ${run?.passed ?? 0} |`,
    `| Failed | ${run?.failed ?? 0} |`,
    `| **Pass Rate** | **${run?.pass_rate ?? 0}%** |`,
    "",
    "### Failed Tests",
    "",
    ...(validation?.failed_tests ?? []).map((name) => `- \`${name}\``),
    "",
    "**Result**: FAIL",
    "",
  ];
}

const SAID = ["bucketKey", "touch", "use"];

/** Lines of `debug.log` next to the sample loop. */
export function logLines(row: LoopRow, from: number, count: number): string[] {
  return Array.from({ length: count }, (_, at) => {
    const n = from + at;
    return JSON.stringify({
      hid: `H${1 + (n % 3)}`,
      ts: row.changed - 40 * MINUTE + n * 900,
      func: SAID[n % 3],
      data: { tenant: n % 2 === 0 ? "a" : "b", key: "login:10.0.0.1", hit: n },
    });
  });
}

function changes(row: LoopRow, { tasks }: LoopDetail): string[] {
  return tasks.map((task, at) =>
    JSON.stringify({
      timestamp: stamp(row.changed - (60 - at * 15) * MINUTE),
      task_id: task.id,
      description: task.description,
      files_changed: task.files_changed,
      result: task.status === "completed" ? "success" : "partial",
    }),
  );
}

/** Four megabytes in fewer lines than are drawn at most, however long the report of the sample is. */
function fourMegabytes(report: readonly string[]): string[] {
  const told = [...report, "", "What was tried, and why it did not hold, told at length. ".repeat(24), ""];
  const size = told.reduce((sum, line) => sum + line.length + 1, 0);
  return Array.from({ length: Math.ceil(4_000_000 / size) }, () => told).flat();
}

function textsOf(row: LoopRow, big: boolean): Texts {
  if (row.word === "not_started" || (row.format !== "loop_v2" && row.format !== "loop_b")) return {};
  const detail = sampleDetail(row);
  const report = develop(row, detail);
  const texts: Texts = {
    "debug.md": debug(row, detail),
    "develop.md": big ? fourMegabytes(report) : report,
    "validate.md": validate(row, detail),
  };
  if (row.format === "loop_b") return texts;
  return {
    "changes.log": changes(row, detail),
    "debug.log": logLines(row, 0, big ? 40_000 : 24),
    ...texts,
  };
}

/** The files next to the loops in memory. */
export class SampleDocuments {
  /** Documents of several megabytes. */
  big = false;
  readonly #texts = new Map<string, Map<string, readonly string[]>>();
  readonly #changed = new Map<string, number>();

  /** As if another program had written the file. */
  write(row: LoopRow, name: string, lines: readonly string[]): void {
    this.#of(row).set(name, lines);
    this.#changed.set(`${row.key}/${name}`, Date.now());
  }

  add(row: LoopRow, name: string, lines: readonly string[]): void {
    this.write(row, name, [...this.lines(row, name), ...lines]);
  }

  list(row: LoopRow): DocumentView[] {
    return [...this.#of(row)].map(([name, lines]) => ({
      name,
      kind: name.endsWith(".md") ? "markdown" : "lines",
      file: `${row.id}.progress/${name}`,
      size: lines.reduce((sum, line) => sum + line.length + 1, 0),
      changed: this.#changed.get(`${row.key}/${name}`) ?? row.changed,
    }));
  }

  /** Loopdeck wrote the progress texts once: what it wrote, and what that replaced. */
  history(row: LoopRow, name: string): VersionView[] {
    if (!name.endsWith(".md")) return [];
    const [now, before] = [this.lines(row, name), this.then(row, name, 1)];
    const size = (lines: readonly string[]) => lines.reduce((sum, line) => sum + line.length + 1, 0);
    const plain = { current: false, readable: true, asker: null } as const;
    const at = row.changed - 40 * 60_000;
    return [
      { ...plain, id: 2, at, who: "ours", cause: "operate", size: size(now), current: true },
      { ...plain, id: 1, at: at - 60_000, who: "foreign", cause: null, size: size(before) },
    ];
  }

  then(row: LoopRow, name: string, id: number): readonly string[] {
    const now = this.lines(row, name);
    return id === 1 ? now.slice(0, Math.ceil(now.length / 2)) : now;
  }

  lines(row: LoopRow, name: string): readonly string[] {
    return this.#of(row).get(name) ?? [];
  }

  #of(row: LoopRow): Map<string, readonly string[]> {
    const known = this.#texts.get(row.key);
    if (known) return known;
    const made = new Map(Object.entries(textsOf(row, this.big)));
    this.#texts.set(row.key, made);
    return made;
  }
}
