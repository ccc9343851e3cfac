// Counts facts from the state files of a folder, without any code of Loopdeck: what both count must be equal.
// Prints one JSON object by file name.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

function statesBelow(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return statesBelow(path);
    const isCcw = /^loop-(v2|b)-.*\.json$/.test(entry.name) && !/\.(progress|workers)$/.test(folder);
    return isCcw || entry.name === "aot-loop-state.md" ? [path] : [];
  });
}

const distinct = (all) => new Set(all.map((text) => String(text).trim()).filter((text) => text !== "")).size;

const countRun = ({ summary }) => [summary.passed, summary.failed, summary.skipped, summary.total];

function countCcw(text) {
  const state = JSON.parse(text);
  const work = state.skill_state ?? {};
  const tasks = work.develop?.tasks ?? work.tasks ?? [];
  const runs = (work.validate?.test_results ?? []).filter((run) => run.summary);
  const hypotheses = work.debug?.hypotheses ?? [];
  const named = hypotheses.find((one) => one.id === work.debug?.confirmed_hypothesis);
  return {
    current: state.current_iteration,
    limit: state.max_iterations,
    tasks: tasks.length === 0 ? null : [tasks.filter((task) => task.status === "completed").length, tasks.length],
    // The format lists files when a task is completed.
    files: distinct(tasks.filter((task) => task.status === "completed").flatMap((task) => task.files_changed ?? [])),
    cause: (named ?? hypotheses.find((one) => one.status === "confirmed"))?.id ?? null,
    failedTasks: tasks.filter((task) => task.status === "failed").length,
    tests: runs.length === 0 ? null : [countRun(runs[0]), countRun(runs.at(-1)), runs.length],
  };
}

/** Atoms and corrections by their lines: the front matter of this format is flat. */
function countAot(text) {
  const front = text.split(/^---\s*$/m)[1] ?? "";
  const part = (name) => front.split(new RegExp(`^${name}:.*$`, "m"))[1]?.split(/^\S/m)[0] ?? "";
  const statuses = [...part("atoms").matchAll(/^\s+status:\s*"?(\w+)/gm)].map((match) => match[1]);
  return {
    resolved: statuses.filter((status) => status === "resolved").length,
    atoms: statuses.length,
    redirects: [...part("corrections").matchAll(/^\s+- timestamp:/gm)].length,
  };
}

const counted = {};
for (const path of statesBelow(process.argv[2])) {
  const text = readFileSync(path, "utf8");
  counted[path] = path.endsWith(".md") ? countAot(text) : countCcw(text);
}
process.stdout.write(JSON.stringify(counted));
