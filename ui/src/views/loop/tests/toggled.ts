import type { TestLine } from "../../../host/bindings";

interface Choice {
  /** Against the default, as the host gets it. */
  readonly against: Set<string>;
  /** As a person left them. */
  readonly left: Map<string, boolean>;
}

const choice = (): Choice => ({ against: new Set(), left: new Map() });

/**
 * Suites that a person opened or closed. What is usual differs while something is filtered, so what was done to the
 * whole table waits until the filter is gone.
 */
export class Toggled {
  readonly #whole = choice();
  #filtered = choice();
  #filter = "";
  #now = this.#whole;

  /** From now on the table is filtered, or not. */
  under(filtered: boolean, filter: string): void {
    if (filtered && filter !== this.#filter) this.#filtered = choice();
    this.#filter = filter;
    this.#now = filtered ? this.#filtered : this.#whole;
  }

  list(): string[] {
    return [...this.#now.against];
  }

  flip(suite: string, open: boolean): void {
    if (!this.#now.against.delete(suite)) this.#now.against.add(suite);
    this.#now.left.set(suite, open);
  }

  /** What is usual changes with the run. Answers whether the lines must be asked again to be as they were left. */
  settle(lines: Iterable<readonly [number, TestLine]>): boolean {
    let changed = false;
    for (const [, line] of lines) {
      if (line.kind !== "suite") continue;
      const left = this.#now.left.get(line.suite);
      if (left === undefined || left === line.open) continue;
      this.flip(line.suite, left);
      changed = true;
    }
    return changed;
  }
}
