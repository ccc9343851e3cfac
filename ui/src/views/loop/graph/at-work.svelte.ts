import { getContext, setContext } from "svelte";
import type { WorkerNow } from "../../../host/bindings";
import { shortAge } from "../../../words/format";
import { clock } from "../../../state/clock.svelte";
import { remade } from "../../../state/remade.svelte";
import { say, t } from "../../../words/language.svelte";
import { within } from "../../../words/phrases";
import { withoutCodes } from "../output/ansi";
import { stateText, type WorkNode } from "./model";

/** Processes of the completion check; what they name is no unit of the work. */
const CHECKS: readonly string[] = ["check", "judge"];
/** A run that is younger has only just started. */
const YOUNG = 5_000;

type ByUnit = ReadonlyMap<string, WorkerNow>;

/**
 * The worker of each unit. The row is replaced several times a second while agents talk: a worker about which nothing
 * changed stays the same object as `before`, so that only the part of the drawing that shows another one is drawn again.
 */
export function workersByUnit(workers: readonly WorkerNow[], before?: ByUnit): ByUnit {
  const next = new Map<string, WorkerNow>();
  for (const worker of workers) {
    if (worker.task === null || CHECKS.includes(worker.action)) continue;
    const known = before?.get(worker.task);
    next.set(worker.task, known && same(known, worker) ? known : worker);
  }
  return next;
}

/** Who works on what, now. */
export class AtWork {
  readonly #byUnit: () => ByUnit;
  readonly #parent: (id: string) => string | null;

  /** Workers below each container, at any depth. */
  readonly #below = $derived.by(() => {
    const below = new Map<string, number>();
    for (const id of this.#byUnit().keys()) {
      const above = new Set<string>();
      // A file can name a unit as its own ancestor: each is counted once.
      for (let at = this.#parent(id); at !== null && !above.has(at); at = this.#parent(at)) above.add(at);
      for (const one of above) below.set(one, (below.get(one) ?? 0) + 1);
    }
    return below;
  });

  /** `parent` answers the container of a unit; both are followed. */
  constructor(byUnit: () => ByUnit, parent: (id: string) => string | null = () => null) {
    this.#byUnit = byUnit;
    this.#parent = parent;
  }

  of(id: string): WorkerNow | undefined {
    return this.#byUnit().get(id);
  }

  /** How many units in this container have a worker. */
  below(id: string): number {
    return this.#below.get(id) ?? 0;
  }
}

function same(one: WorkerNow, other: WorkerNow): boolean {
  return one.run === other.run && one.started === other.started && one.line === other.line;
}

/** The last line of a worker in one line; empty before it said anything. */
export function lineOf({ line }: Pick<WorkerNow, "line">): string {
  return withoutCodes(line).replace(/\s+/g, " ").trim();
}

/** How long it runs: “2 min”. */
export function runsFor({ started }: Pick<WorkerNow, "started">, now: number): string {
  return now - started < YOUNG ? t.common.justStarted : shortAge(started, now);
}

/** “2 running”, of a container; empty where nothing in it runs. */
export function belowText(count: number): string {
  return count === 0 ? "" : say(t.overviewPage.running, { count });
}

/** “running for 2 min, last line: …”, for those who listen and for hover. */
export function atWorkText(worker: WorkerNow, now: number): string {
  const line = lineOf(worker);
  const young = now - worker.started < YOUNG;
  return [
    young ? t.common.justStarted : say(t.runControl.since, { duration: runsFor(worker, now) }),
    line === "" ? within(t.output.noRows) : say(t.graph.atWork.line, { line }),
  ].join(t.units.listSeparator);
}

const AT_WORK = Symbol("at-work");

/** For all parts of one graph; `read` answers the processes at work. */
export function provideAtWork(
  read: () => readonly WorkerNow[],
  parent: (id: string) => string | null,
): AtWork {
  const known = remade<ByUnit>((before) => workersByUnit(read(), before));
  return setContext(AT_WORK, new AtWork(() => known.current, parent));
}

const NOBODY: ByUnit = new Map();
const NOTHING = new AtWork(() => NOBODY);

/** Which agent works on what; none in a past version. */
export function useAtWork(): AtWork {
  return getContext<AtWork | undefined>(AT_WORK) ?? NOTHING;
}

/** What is announced when a unit is selected. */
export function saidOf(node: WorkNode, worker: WorkerNow | undefined): string {
  const { id, description } = node;
  const selected = say(t.graph.selectedSaid, { id, status: stateText(node), description });
  return worker ? [selected, atWorkText(worker, clock.coarse)].join(t.units.listSeparator) : selected;
}
