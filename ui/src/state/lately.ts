const MOST = 6;
const OPEN = "open ";

/** The id of the command that opens a loop. */
export function openId(key: string): string {
  return `${OPEN}${key}`;
}

/** The key in such an id; nothing of a loop in any other. */
export function keyOfOpen(id: string): string {
  return id.startsWith(OPEN) ? id.slice(OPEN.length) : "";
}

/** The commands a person used last, newest first, by their ids. Opening a loop counts, however it was done. */
export class Lately {
  #ids: readonly string[] = [];
  readonly #changed: () => void;

  /** `changed` gets every other list, to remember it. */
  constructor(changed: () => void) {
    this.#changed = changed;
  }

  get ids(): readonly string[] {
    return this.#ids;
  }

  load(ids: readonly string[]): void {
    this.#ids = ids.slice(0, MOST + 1);
  }

  add(id: string): void {
    if (this.#ids[0] === id) return;
    this.load([id, ...this.#ids.filter((other) => other !== id)]);
    this.#changed();
  }
}
