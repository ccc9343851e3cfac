import { getContext, setContext } from "svelte";
import type { Turn } from "./model";

/**
 * Choices between alternatives that were made while a person looks. Each is shown once: what was chosen before the page
 * opened is no news, and what has been shown is none either.
 */
export class Switches {
  /** Ids that were chosen and not shown yet. */
  #fresh: ReadonlySet<string> = $state.raw(new Set());
  #known: number | null = null;

  /** The trail as it is now; answers what is new in it. */
  take(turns: readonly Turn[]): readonly Turn[] {
    const before = this.#known;
    this.#known = turns.length;
    // A trail that became shorter was cleared: what comes next is new again.
    const added = before === null ? [] : turns.slice(before);
    if (added.length > 0) {
      this.#fresh = new Set([...this.#fresh, ...added.map(({ entry }) => entry.selected)]);
    }
    return added;
  }

  has(id: string): boolean {
    return this.#fresh.has(id);
  }

  /** It was shown. */
  shown(id: string): void {
    if (this.#fresh.has(id)) this.#fresh = new Set([...this.#fresh].filter((one) => one !== id));
  }
}

const SWITCHES = Symbol("switches");

/** For all parts of one graph. */
export function provideSwitches(switches: Switches): Switches {
  return setContext(SWITCHES, switches);
}

/** The latest choice; nothing where none is given. */
export function useSwitches(): Switches {
  return getContext<Switches | undefined>(SWITCHES) ?? new Switches();
}
