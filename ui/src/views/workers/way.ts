import type { EventKind, LoopDetail, LoopRow, TimeView, WorkerView } from "../../host/bindings";

/** The phases of a Loop-B, in the order of their diagram. */
export const PHASES = ["init", "develop", "debug", "validate", "complete"] as const;
export type PhaseName = (typeof PHASES)[number];

/** Lines of the diagram. */
export type EdgeId =
  | "init-develop"
  | "develop-debug"
  | "develop-validate"
  | "validate-debug"
  | "debug-validate"
  | "debug-check"
  | "validate-check"
  | "check-develop"
  | "check-complete";

export interface Visit {
  readonly phase: PhaseName;
  readonly time: TimeView | null;
}

/** What the last worker asks for, as long as the loop has not moved on. */
export interface Wish {
  readonly from: PhaseName;
  readonly to: PhaseName;
  readonly back: boolean;
}

/** The way a loop took through its phases. */
export interface Way {
  /** As they followed each other; empty in parallel mode, where they are at once. */
  readonly visits: readonly Visit[];
  readonly reached: ReadonlySet<PhaseName>;
  readonly times: ReadonlyMap<PhaseName, number>;
  readonly here: PhaseName | null;
  readonly taken: ReadonlySet<EdgeId>;
  readonly wish: Wish | null;
}

export function phaseOf(word: string | null | undefined): PhaseName | null {
  const lower = word?.toLowerCase();
  return PHASES.find((phase) => phase === lower) ?? null;
}

export function isParallel(row: Pick<LoopRow, "mode">): boolean {
  return row.mode?.toLowerCase() === "parallel";
}

function factText(detail: LoopDetail, name: string): string | null {
  const value = detail.facts.find((fact) => fact.name === name)?.value;
  return value?.kind === "text" || value?.kind === "code" ? value.value : null;
}

function factList(detail: LoopDetail, name: string): readonly string[] {
  const value = detail.facts.find((fact) => fact.name === name)?.value;
  return value?.kind === "list" ? value.value : [];
}

/** Where the loop stands, as its file says. */
export function standsAt(row: LoopRow, detail: LoopDetail): PhaseName | null {
  const said = factText(detail, "phase") ?? (row.phase?.kind === "workers" ? row.phase.phase : null);
  return phaseOf(said);
}

const ROUNDS: Readonly<Partial<Record<EventKind, PhaseName>>> = {
  develop_entry: "develop",
  debug_entry: "debug",
  validate_entry: "validate",
  summary_entry: "complete",
};

/** Phases that left a trace, oldest first; the same one twice in a row is one stay. */
function stays(detail: LoopDetail): Visit[] {
  const visits: Visit[] = [];
  for (const { kind, subject, time } of detail.events) {
    const phase = kind === "worker" ? phaseOf(subject) : (ROUNDS[kind] ?? null);
    if (phase && visits.at(-1)?.phase !== phase) visits.push({ phase, time });
  }
  return visits;
}

/** Workers that are listed as done without having left a trace: the first comes first, the last one last. */
function withListed(visits: readonly Visit[], detail: LoopDetail): Visit[] {
  const done = factList(detail, "workers_completed").map(phaseOf);
  const lacks = (phase: PhaseName) => done.includes(phase) && !visits.some((visit) => visit.phase === phase);
  return [
    ...(lacks("init") ? [{ phase: "init" as const, time: null }] : []),
    ...visits,
    ...(lacks("complete") ? [{ phase: "complete" as const, time: null }] : []),
  ];
}

/** The lines between two phases; none where the diagram knows no way. */
export function edgesOf(from: PhaseName, to: PhaseName): readonly EdgeId[] {
  switch (`${from}-${to}`) {
    case "init-develop":
    case "develop-debug":
    case "develop-validate":
    case "validate-debug":
    case "debug-validate":
      return [`${from}-${to}` as EdgeId];
    case "debug-develop":
    case "debug-complete":
    case "validate-develop":
    case "validate-complete":
      return [`${from}-check` as EdgeId, `check-${to}` as EdgeId];
    default:
      return [];
  }
}

function wishOf(workers: readonly WorkerView[], last: PhaseName | undefined): Wish | null {
  const worker = workers.find((one) => phaseOf(one.action) === last);
  if (!worker || !last) return null;
  const back = phaseOf(worker.loop_back_to);
  const to = back ?? phaseOf(worker.next_suggestion);
  return to && to !== last ? { from: last, to, back: back !== null } : null;
}

export function wayOf(row: LoopRow, detail: LoopDetail): Way {
  const here = standsAt(row, detail);
  const traced = withListed(stays(detail), detail);
  const workers = detail.workers.flatMap((worker) => phaseOf(worker.action) ?? []);
  const reached = new Set<PhaseName>([...traced.map((visit) => visit.phase), ...workers]);
  const parallel = isParallel(row);
  const last = traced.at(-1)?.phase;
  // Where it stands now it has not left a trace yet: it is the newest step. At the start nothing was taken.
  const moved = here !== null && here !== last && !(here === "init" && reached.size > 0);
  const visits = parallel ? [] : moved ? [...traced, { phase: here, time: null }] : traced;
  if (here !== null) reached.add(here);
  const times = new Map<PhaseName, number>();
  for (const { phase } of visits) times.set(phase, (times.get(phase) ?? 0) + 1);
  const taken = new Set(visits.slice(1).flatMap((visit, at) => edgesOf(visits[at]!.phase, visit.phase)));
  const wish = parallel || here !== last ? null : wishOf(detail.workers, last);
  return { visits, reached, times, here, taken, wish };
}
