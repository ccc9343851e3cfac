const MOST = 6;

/** The id of the command that opens a loop. */
export function openId(key: string): string {
  return `open ${key}`;
}

/** The commands a person used last, newest first, by their ids. Opening a loop counts, however it was done. */
export class Lately {
  #ids: readonly string[] = [];

  get ids(): readonly string[] {
    return this.#ids;
  }

  add(id: string): void {
    this.#ids = [id, ...this.#ids.filter((other) => other !== id)].slice(0, MOST + 1);
  }
}
