/** Rows of the list that a person selected, to act on all of them at once. */
export class ListChoice {
  keys: ReadonlySet<string> = $state.raw(new Set());
  /** Where a selection with Shift begins. */
  #anchor: string | null = null;

  has(key: string): boolean {
    return this.keys.has(key);
  }

  toggle(key: string): void {
    const keys = new Set(this.keys);
    if (!keys.delete(key)) keys.add(key);
    this.keys = keys;
    this.#anchor = key;
  }

  /** Everything from where the selection began to this row, in the order of `shown`. */
  extendTo(key: string, shown: readonly string[], from: string | null): void {
    const [one, other] = [shown.indexOf(this.#anchor ?? from ?? key), shown.indexOf(key)];
    const [first, last] = one < 0 ? [other, other] : [Math.min(one, other), Math.max(one, other)];
    this.#anchor = shown[one < 0 ? other : one] ?? key;
    this.keys = new Set([...this.keys, ...shown.slice(first, last + 1)]);
  }

  clear(): void {
    this.#anchor = null;
    if (this.keys.size > 0) this.keys = new Set();
  }

  /** Only what is in the list can be acted on. */
  keepOnly(isThere: (key: string) => boolean): void {
    const kept = [...this.keys].filter(isThere);
    if (kept.length < this.keys.size) this.keys = new Set(kept);
  }
}
