import type { LoopRow, Need } from "./bindings";

const MINUTE = 60_000;

const SCRIPT = `set -eu
cd billing-core
for file in $(git ls-files 'src/**/*.ts'); do
  npx prettier --check "$file" || echo "$file" >> /tmp/unformatted
done
if [ -s /tmp/unformatted ]; then
  xargs npx prettier --write < /tmp/unformatted
fi
npm audit fix --force
npm install --no-save
rm -rf node_modules/.cache
npm test -- --reporter=junit
curl -fsS https://example.test/hook -d done=1`;

/** A need of a loop, with what its kind has. */
function needOf(row: LoopRow | undefined, kind: Need["kind"], since: number, more: Partial<Need>): Need {
  return {
    id: `need-${kind}`,
    key: row?.key ?? "",
    run: null,
    title: row?.title ?? "",
    kind,
    since,
    agent: "Claude Code",
    tool: null,
    input: null,
    cut_from: null,
    requested: null,
    folder: "~/code/billing-core",
    text: "",
    args: {},
    choices: [],
    extension: null,
    until: null,
    answers: ["resume", "dismiss"],
    processes: [],
    wrong: [],
    lines: [],
    ...more,
  };
}

/** What waits in the sample workspace: one of every kind, oldest first. */
export function sampleNeeds(rows: readonly LoopRow[], now: number): Need[] {
  const of = (title: string) => rows.find((row) => row.title.startsWith(title)) ?? rows[0];
  const needs = [
    needOf(of("Migrate sessions"), "interrupted", now - 190 * MINUTE, {
      args: { left: "cut_off", action: "develop", task: "task-003" },
    }),
    needOf(of("Type the pricing"), "left_over", now - 64 * MINUTE, {
      answers: ["end_left", "dismiss"],
      processes: [
        { pid: 4711, name: "node" },
        { pid: 4719, name: "esbuild" },
      ],
    }),
    needOf(of("Rewrite the importer"), "failed", now - 47 * MINUTE, {
      agent: "Codex",
      text: "error: unexpected argument '--full-auto' found",
      args: { code: "unknown_argument" },
    }),
    needOf(of("Flaky invoice"), "sign_in", now - 31 * MINUTE, {
      agent: "Codex",
      text: "unexpected status 401 Unauthorized: missing bearer token",
      args: { code: "auth" },
    }),
    needOf(of("Type the pricing"), "usage_limit", now - 26 * MINUTE, {
      answers: ["resume", "stop"],
      text: "You have hit your usage limit.",
      args: { code: "limit" },
      until: now + 64 * MINUTE,
    }),
    needOf(of("Migrate sessions"), "limit_reached", now - 14 * MINUTE, {
      answers: ["extend", "stop", "dismiss"],
      args: { limit: "iterations" },
      extension: { of: "iterations", least: 1, most: 80, whole: true, proposed: 10 },
    }),
    needOf(of("Dark mode"), "menu", now - 9 * MINUTE, {
      answers: ["choose", "stop"],
      choices: ["develop", "debug", "validate", "complete", "exit"],
      folder: "~/code/docs-site",
    }),
    needOf(of("Flaky invoice"), "question", now - 6 * MINUTE, {
      text: "Invoices are rounded per line today.\nShould the total be the sum of rounded lines, or should the sum be rounded once at the end?",
      answers: ["say", "go_on", "stop"],
      args: { question: "agent_asks", about: "develop", count: "0" },
    }),
    needOf(of("Rate-limit"), "permission", now - 4 * MINUTE, {
      tool: "Bash",
      input: SCRIPT,
      text: "The command is not in the list of allowed commands.",
      answers: ["allow_once", "allow_for_run", "deny"],
    }),
  ];
  return needs.filter((need) => need.key !== "");
}

/** The row of a loop that waits: the status is made of the same facts. */
export function rowThatNeeds(row: LoopRow, need: Need): Partial<LoopRow> {
  const asks = need.kind === "permission" || need.kind === "question" || need.kind === "menu";
  const run: LoopRow["run"] = {
    agent: need.agent,
    level: "edit_files",
    alive: asks,
    action: "develop",
    last_output: need.since,
    cost_usd: 0.42,
    tokens: 81_400,
    stop: null,
    needs: (row.run?.needs ?? 0) + 1,
    workers: [],
  };
  if (!asks) return { run, changed: row.changed };
  return { run, changed: row.changed, word: "needs_you", group: "attention", agent: "ours", primary: null };
}

/** As many as asked for, of the sample's kinds. */
export function manyNeeds(needs: readonly Need[], count: number): Need[] {
  if (needs.length === 0) return [];
  return Array.from({ length: count }, (_, index) => {
    const need = needs[index % needs.length] as Need;
    return index < needs.length ? need : { ...need, id: `${need.id}-${index}` };
  });
}
