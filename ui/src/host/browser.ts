import type { LoopRow } from "./bindings";
import { MemoryHost, SAMPLE_WORKSPACES } from "./memory";
import { manyHypotheses } from "./sample-board";
import { knottedAtoms, manyAtoms } from "./sample-graph";
import { sampleAgents } from "./sample-agents";
import { sampleFolders, sampleReview, sampleTried } from "./sample-start";
import { manyNeeds, rowThatNeeds, sampleNeeds } from "./sample-needs";
import { manyJobs, samplePlaces } from "./sample-jobs";
import { sampleCopy, sampleCopyRows, sampleTeam } from "./sample-team";
import { manyRows, sampleRows } from "./sample-rows";
import { goOn, playRuns } from "./sample-outputs";
import { longPlan, manyListed, manyTasks, planTasks } from "./sample-work";
import { manyEvents } from "./sample-timeline";

/** As long as titles and paths become, to see where they break. */
function withLongNames(row: LoopRow): Partial<LoopRow> {
  const folders = Array.from({ length: 9 }, (_, index) => `packages/some-rather-deep-folder-${index}`).join(
    "/",
  );
  return {
    title: `${row.title} ${"with every word that somebody could think of ".repeat(5)}`,
    file: `${folders}/${row.file}`,
  };
}

/** Loops in the place of which plans of other tools are shown; `plan=2000` makes them long. */
function makePlans(host: MemoryHost, count: number): void {
  for (const row of host.rows().filter((one) => one.format === "v1" || one.format === "legacy")) {
    host.write(row.key, { format: "spec_kit", handling: "controlled" });
    host.detail(row.key, {
      tasks: count > 1 ? longPlan(row, count) : planTasks(row),
      asks: ["Choose a provider for the second factor."],
      own_command: ["claude", "/speckit.implement"],
      own_command_runs: true,
    });
  }
}

/** Thousands of events and documents of several megabytes. */
function makeBig(host: MemoryHost): void {
  host.documents.big = true;
  for (const row of host.rows().filter((one) => one.format === "loop_v2")) {
    const events = manyEvents(row, 5_000);
    host.detail(row.key, { events, events_total: 12_345, cut_files: ["debug.log"] });
  }
}

/** Agents, folders and the form's answers; `agents=none` for a computer without any. */
function makeRuns({ runs }: MemoryHost, params: URLSearchParams): void {
  runs.agentRows = sampleAgents().filter(({ id }) => params.get("agents") !== "none" || id === "shell");
  for (const [path, facts] of sampleFolders()) runs.folders.set(path, facts);
  runs.triedOf = sampleTried;
  runs.reviewOf = (form) => sampleReview(form, runs.folders.get(form.folder)?.trusted ?? false);
}

/** A team with other machines, and as many sent runs as `jobs` says; `team=lost`, `team=connecting`, `team=refused` for one in which something is wrong. */
function makeTeam(host: MemoryHost, how: string, jobs: string | null, now: number): void {
  const page = sampleTeam(now);
  const team = page.team!;
  const failure = {
    kind: "team_unreachable" as const,
    args: { address: team.servers[0]!, reason: "timed out" },
  };
  if (how === "lost")
    team.connection = { kind: "lost", since: now - 3_600_000, failure: { ...failure, refusal: null } };
  if (how === "connecting") team.connection = { kind: "connecting" };
  if (how === "refused") {
    team.refused = "Permissions Violation for Publish";
    team.too_large = [".workflow/.loop/loop-v2-auth.progress/debug.log"];
    team.answers.unshift({ ...team.answers[0]!, verb: "resume", refused: "not_allowed", at: now - 60_000 });
  }
  if (jobs !== null) page.jobs = Number(jobs) === 0 ? [] : manyJobs(Number(jobs), now);
  const running = page.jobs.find(({ stage }) => stage === "running");
  if (running) running.key = sampleCopyRows(now)[0]?.key ?? null;
  host.inTeam.page = page;
  host.inTeam.placesOf = (folder) => ({
    ...samplePlaces(host.runs.folders.get(folder)?.uncommitted ?? 0),
    is_repository: host.runs.folders.get(folder)?.branch !== null,
  });
  host.fill(sampleCopyRows(now), [...SAMPLE_WORKSPACES, sampleCopy(how === "lost" ? now - 3_600_000 : null)]);
}

/** The host of a plain browser; `?loops=3&lang=ja&theme=dark&long&big&hypotheses=200&tasks=10000&atoms=2000&knots&needs=9&flood=5000&team&jobs=200` choose what to look at. */
export function browserHost(params: URLSearchParams): MemoryHost {
  const host = new MemoryHost();
  host.landAfter = 900;
  host.settings = {
    theme: params.get("theme") ?? "system",
    language: params.get("lang") ?? "system",
    density: params.get("density") ?? "comfortable",
  };
  const count = params.get("loops");
  const now = Date.now();
  if (count === null) host.fill(sampleRows(now), SAMPLE_WORKSPACES);
  else if (count === "empty") host.fill([], SAMPLE_WORKSPACES.slice(0, 2));
  else if (Number(count) > 0) {
    const rows = Number(count) > 16 ? manyRows(Number(count), now) : sampleRows(now).slice(0, Number(count));
    host.fill(rows, SAMPLE_WORKSPACES);
  }
  const team = params.get("team");
  if (team !== null) makeTeam(host, team, params.get("jobs"), now);
  playRuns(host, now);
  if (params.has("live")) goOn(host, "Implement user", 3, 1_500);
  const flood = Number(params.get("flood") ?? 0);
  if (flood > 0) goOn(host, "Checkout", Math.ceil(flood / 10), 100);
  if (params.has("long")) for (const row of host.rows()) host.write(row.key, withLongNames(row));
  const tasks = Number(params.get("tasks") ?? 0);
  const mode = params.get("mode");
  for (const row of host.rows()) {
    const many = { tasks: manyTasks(row, tasks), task_list: manyListed(row, tasks) };
    if (tasks > 0 && row.format === "loop_v2") host.detail(row.key, many);
    if (mode && row.format === "loop_b") host.write(row.key, { mode });
  }
  if (params.has("plan")) makePlans(host, Number(params.get("plan")));
  const atoms = Number(params.get("atoms") ?? 0);
  for (const row of host.rows())
    if (atoms > 0 && row.format === "aot") host.detail(row.key, manyAtoms(atoms));
  for (const row of host.rows())
    if (params.has("knots") && row.format === "aot") host.detail(row.key, knottedAtoms());
  if (params.has("big")) makeBig(host);
  const opened = params.get("open");
  if (opened) host.open = host.rows().find((row) => row.title.startsWith(opened))?.key ?? null;
  const hypotheses = Number(params.get("hypotheses") ?? 0);
  if (hypotheses > 0) {
    for (const row of host.rows()) host.detail(row.key, { debug: manyHypotheses(row, hypotheses) });
  }
  makeRuns(host, params);
  const needs = params.get("needs");
  const waiting = sampleNeeds(host.rows(), now);
  const few = waiting.filter((need) => need.kind === "permission" || need.kind === "question").slice(0, 2);
  host.runs.waiting = needs === null ? few : manyNeeds(waiting, Number(needs));
  for (const need of host.runs.waiting) {
    const row = host.rows().find((one) => one.key === need.key);
    if (row) host.write(row.key, rowThatNeeds(row, need));
  }
  host.runs.onNeeds();
  if (count !== "0") host.runs.trustedFolders = ["/home/ana/code/storefront"];
  host.runs.pickedProgram = "/opt/agents/bin/claude";
  if (params.has("polling")) host.watching = { folders: 0, polling: 5, reason: "limit", checked: now };
  return host;
}
