import type { AotVerification, Changed, TimelineEntry } from "../../../host/bindings";
import { fill, say, t } from "../../../words/language.svelte";
import { within } from "../../../words/phrases";
import { passedOf } from "../overview/verifications";

/** More names than fit in a line. */
const MOST_NAMES = 4;

/** What changed in a round, as all versions of the file in it say together. */
class Round {
  readonly resolved = new Set<string>();
  readonly begun = new Set<string>();
  readonly back = new Set<string>();
  readonly added = new Set<string>();
  readonly branches: string[] = [];
  corrections = 0;
  stalled = false;

  take(change: Changed): void {
    const { what, id, from, to } = change;
    if (what === "atom") this.#atom(change);
    else if (what === "branch" && to !== null && from !== null)
      this.branches.push(fill(t.redirectRow.limit, { name: id, before: from, after: to }));
    else if (what === "correction") this.corrections += 1;
    // Counted up; a smaller number is a round that made progress.
    else if (what === "fact" && id === "stall_count") this.stalled = Number(to) > Number(from);
  }

  /** Where an atom is at the end of the round counts, not the way to it. */
  #atom({ id, from, to, from_status, to_status }: Changed): void {
    for (const set of [this.resolved, this.begun, this.back]) set.delete(id);
    if (to === null) this.added.delete(id);
    else if (from === null) this.added.add(id);
    if (to_status === "resolved") this.resolved.add(id);
    else if (to_status === "in_progress") this.begun.add(id);
    else if (to_status === "pending" && (from_status === "in_progress" || from_status === "resolved"))
      this.back.add(id);
  }

  texts(): string[] {
    const named = (words: string, ids: ReadonlySet<string>) =>
      ids.size === 0 ? [] : [fill(words, { names: namesOf([...ids]) })];
    return [
      ...named(say(t.units.labelled, { name: "{names}", value: within(t.atom.resolved) }), this.resolved),
      ...named(t.timeline.told.started, this.begun),
      ...named(t.timeline.told.back, this.back),
      ...named(t.timeline.told.added, this.added),
      ...this.branches,
      ...(this.corrections > 0 ? [say(t.timeline.round.corrections, { count: this.corrections })] : []),
      ...(this.stalled ? [t.timeline.round.stalled] : []),
    ];
  }
}

function namesOf(ids: readonly string[]): string {
  const more = ids.length - MOST_NAMES;
  const names = ids.slice(0, MOST_NAMES);
  return [...names, ...(more > 0 ? [say(t.common.andMore, { count: more })] : [])].join(
    t.units.listSeparator,
  );
}

function checkedText(verification: AotVerification): string {
  const total = verification.results.length;
  return say(t.report.checks, { done: passedOf(verification), total });
}

/**
 * What each round of an AoT loop did, in one line; nothing for a round of which only other things
 * are known.
 */
export function roundsOf(
  entries: readonly TimelineEntry[],
  verifications: readonly AotVerification[],
): ReadonlyMap<number, string> {
  const rounds = new Map<number, Round>();
  for (const { iteration, content } of entries) {
    if (iteration === null || content.from !== "version") continue;
    const round = rounds.get(iteration) ?? new Round();
    rounds.set(iteration, round);
    for (const change of content.changes) round.take(change);
  }
  const texts = new Map<number, string[]>();
  for (const [iteration, round] of rounds) texts.set(iteration, round.texts());
  const verified = new Set<number>();
  for (const one of verifications) {
    // The newest of a round comes first.
    if (verified.has(one.iteration) || one.results.length === 0) continue;
    verified.add(one.iteration);
    texts.set(one.iteration, [...(texts.get(one.iteration) ?? []), checkedText(one)]);
  }
  return new Map(
    [...texts].flatMap(([iteration, said]) => (said.length === 0 ? [] : [[iteration, said.join(" · ")]])),
  );
}
