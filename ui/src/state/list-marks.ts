import type { ListMarks, LoopRow, MarkedLoop } from "../host/bindings";
import { asFailure } from "../host/failure";
import type { Host } from "../host/host";
import { moment } from "../words/format";
import { say, t } from "../words/language.svelte";
import { failureText } from "../words/phrases";
import type { Catalog } from "./catalog.svelte";
import { clock } from "./clock.svelte";
import type { Notices } from "./notices.svelte";

/** Whether a loop is not in the list for now. */
export function isAside({ marks }: Pick<LoopRow, "marks">): boolean {
  return marks.archived || marks.snoozed_until !== null;
}

/** Why a loop is not in the list for now; null when it is. */
export function asideText({ marks }: Pick<LoopRow, "marks">, now: number): string | null {
  if (marks.archived) return t.marks.archived;
  const until = marks.snoozed_until;
  return until === null ? null : say(t.marks.snoozedUntil, { time: moment(until, now) });
}

/** What several loops are called together. */
export function titlesOf(rows: readonly LoopRow[]): string {
  return rows.length === 1 ? rows[0]!.title : say(t.common.loopCount, { count: rows.length });
}

/** When a snooze ends. */
interface SnoozeTime {
  readonly id: "laterToday" | "tomorrow" | "nextWeek";
  readonly at: number;
}

const MORNING = 9;

/** The times that are offered: in three hours as long as that is today, tomorrow morning, and the morning of the next Monday. */
export function snoozeTimes(now: number): SnoozeTime[] {
  const morning = (days: number) => {
    const day = new Date(now);
    day.setDate(day.getDate() + days);
    return day.setHours(MORNING, 0, 0, 0);
  };
  const later = now + 3 * 3_600_000;
  const isToday = new Date(later).toDateString() === new Date(now).toDateString();
  return [
    ...(isToday ? [{ id: "laterToday" as const, at: later }] : []),
    { id: "tomorrow", at: morning(1) },
    { id: "nextWeek", at: morning((8 - new Date(now).getDay()) % 7 || 7) },
  ];
}

interface Parts {
  readonly host: Host;
  readonly catalog: Catalog;
  readonly notices: Notices;
}

/** What a person pins, archives and snoozes: one loop or several, with one way back. */
export class ListMarking {
  readonly #host: Host;
  readonly #catalog: Catalog;
  readonly #notices: Notices;

  constructor(parts: Parts) {
    this.#host = parts.host;
    this.#catalog = parts.catalog;
    this.#notices = parts.notices;
  }

  /** Archives them, or all of them come back when they are archived. */
  archive(keys: readonly string[]): Promise<void> {
    const on = !this.#rows(keys).every(({ marks }) => marks.archived);
    const change = { archived: on, snoozed_until: null };
    return this.#mark(
      keys,
      (marks) => ({ ...marks, ...change }),
      on ? t.marks.archived : t.marks.listedAgain,
    );
  }

  /** Pins them, or none of them is pinned any longer when all are. */
  pin(keys: readonly string[]): Promise<void> {
    const on = !this.#rows(keys).every(({ marks }) => marks.pinned);
    return this.#mark(keys, (marks) => ({ ...marks, pinned: on }), on ? t.marks.pinned : t.marks.unpinned);
  }

  /** Snoozes them until a time; without one they are listed again. */
  snooze(keys: readonly string[], until: number | null): Promise<void> {
    const said =
      until === null ? t.marks.listedAgain : say(t.marks.snoozedUntil, { time: moment(until, clock.coarse) });
    const change = (marks: ListMarks) => ({
      ...marks,
      snoozed_until: until,
      archived: marks.archived && until === null,
    });
    return this.#mark(keys, change, said);
  }

  #rows(keys: readonly string[]): LoopRow[] {
    return keys.flatMap((key) => this.#catalog.cell(key)?.row ?? []);
  }

  async #mark(keys: readonly string[], change: (marks: ListMarks) => ListMarks, said: string): Promise<void> {
    const rows = this.#rows(keys);
    if (rows.length === 0) return;
    const value = titlesOf(rows);
    const before = await this.#keep(rows.map(({ key, marks }) => ({ key, marks: change(marks) })));
    if (before === null) return;
    this.#notices.notify(say(t.units.labelled, { name: said, value }), async () => {
      if (await this.#keep(before)) this.#notices.tellUndone();
    });
  }

  /** Answers with what was before; nothing when it could not be kept, which is said. */
  async #keep(wanted: MarkedLoop[]): Promise<MarkedLoop[] | null> {
    try {
      return await this.#host.keepListMarks(wanted);
    } catch (reason) {
      this.#notices.tell(failureText(asFailure(reason)));
      return null;
    }
  }
}
