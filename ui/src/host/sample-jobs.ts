import type { JobView, Offer, RunPlace, RunPlaces, Seat } from "./bindings";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const TOWER: Seat = { member: "ada", machine: "tower" };
const BUILD: Seat = { member: "ben", machine: "build-1" };
const COMMIT = "3f2a91c07d5be6482a90f1c4d77e05b38a1c6e29";

/** What a node that is there offers. */
export function sampleOffer(): Offer {
  const repository = {
    origin: COMMIT,
    level: "edit_files" as const,
    commands: ["npm test", "npm run lint"],
    tips: [COMMIT],
  };
  return {
    memory_gb: 64,
    slots: 4,
    busy: 1,
    repositories: [
      { ...repository, name: "storefront", from: ["ana", "ben.build-2"], agents: ["claude", "codex"] },
      { ...repository, name: "billing-core", from: [], agents: ["codex"], commands: [] },
    ],
  };
}

/** Machines that offer a repository: one is there, one is not. */
export function samplePlaces(uncommitted = 3): RunPlaces {
  const place = (seat: Seat, more: Partial<RunPlace>): RunPlace => ({
    seat,
    reachable: true,
    agents: ["claude", "codex"],
    level: "edit_files",
    commands: ["npm test", "npm run lint"],
    memory_gb: 64,
    slots: 4,
    busy: 1,
    ...more,
  });
  return {
    is_repository: true,
    uncommitted,
    machines: [
      place(TOWER, {}),
      place(BUILD, {
        reachable: false,
        agents: ["codex"],
        level: "full_access",
        commands: ["npm test"],
        memory_gb: 16,
        slots: 1,
      }),
    ],
  };
}

/** A run that was sent elsewhere and waits for a machine. */
export function sampleJob(id: string, now: number, more: Partial<JobView> = {}): JobView {
  return {
    id,
    title: "Logging in with an expired token returns 500",
    folder: "~/code/storefront",
    agent: "codex",
    target: { kind: "any", memory_gb: 0 },
    if_gone: "continue",
    stage: "queued",
    seat: null,
    gone_since: null,
    at: now - HOUR,
    since: now - HOUR,
    key: null,
    word: null,
    why: null,
    reason: null,
    passed: [],
    result_awaited: false,
    has_result: false,
    branch: null,
    ...more,
  };
}

/** Three runs: one is at work, one brought something, one was refused. */
export function sampleJobs(now: number): JobView[] {
  const on = { target: { kind: "machine", seat: TOWER }, if_gone: "interrupt" } as const;
  return [
    sampleJob("j3", now, {
      title: "Add a CSV export to the orders page",
      stage: "running",
      seat: TOWER,
      at: now - 25 * MINUTE,
      since: now - 24 * MINUTE,
    }),
    sampleJob("j2", now, {
      ...on,
      stage: "ended",
      seat: TOWER,
      word: "completed",
      has_result: true,
      at: now - 3 * HOUR,
      since: now - HOUR,
    }),
    sampleJob("j1", now, {
      ...on,
      title: "Move all date handling to one module",
      folder: "~/code/billing-core",
      agent: "claude",
      stage: "refused",
      seat: TOWER,
      why: "command",
      at: now - 26 * HOUR,
      since: now - 26 * HOUR,
    }),
  ];
}

/** Many runs, of every stage. */
export function manyJobs(count: number, now: number): JobView[] {
  const kinds: readonly Partial<JobView>[] = [
    { stage: "waiting" },
    { stage: "queued", target: { kind: "machine", seat: BUILD }, if_gone: "interrupt" },
    { stage: "queued", target: { kind: "any", memory_gb: 32 } },
    { stage: "running", seat: TOWER },
    { stage: "running", seat: BUILD, gone_since: now - 5 * MINUTE },
    { stage: "running", seat: BUILD, gone_since: now - 5 * MINUTE, if_gone: "interrupt" },
    { stage: "ended", seat: TOWER, word: "failed", result_awaited: true },
    { stage: "ended", seat: TOWER, word: "completed", has_result: true },
    { stage: "ended", seat: TOWER, word: "completed", branch: "loopdeck/loop-v2-20261127-3f2a91c" },
    { stage: "ended", seat: TOWER, word: "stopped" },
    { stage: "refused", seat: TOWER, why: "git_refused" },
    { stage: "interrupted", seat: BUILD, if_gone: "interrupt" },
    { stage: "withdrawn" },
  ];
  return Array.from({ length: count }, (_, index) =>
    sampleJob(`m${index}`, now, {
      ...kinds[index % kinds.length],
      title: `Run ${index + 1}: ${"move all date handling to one module, so that no other file parses dates ".repeat(1 + (index % 2)).trim()}`,
      at: now - (index + 1) * 7 * MINUTE,
      since: now - (index + 1) * 6 * MINUTE,
    }),
  );
}
