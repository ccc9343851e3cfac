const AT_MOST_EVERY = 5000;

/**
 * The live regions. Polite news is gathered and said at most once in five seconds; assertive news is kept for what a
 * person must know at once.
 */
export class Announcer {
  polite = $state("");
  assertive = $state("");

  #queue: string[] = [];
  #timer: ReturnType<typeof setTimeout> | null = null;
  #last = -AT_MOST_EVERY;
  readonly #summarise: (texts: readonly string[]) => string;

  constructor(summarise: (texts: readonly string[]) => string) {
    this.#summarise = summarise;
  }

  say(text: string): void {
    this.#queue.push(text);
    if (this.#timer !== null) return;
    const wait = Math.max(0, this.#last + AT_MOST_EVERY - Date.now());
    this.#timer = setTimeout(() => this.#flush(), wait);
  }

  sayNow(text: string): void {
    this.assertive = text;
  }

  #flush(): void {
    this.#timer = null;
    this.#last = Date.now();
    this.polite = this.#summarise(this.#queue.splice(0));
  }
}
