/** At most one polite message in this time, in milliseconds. */
const POLITE_EVERY = 5000;
/** The same for what a person must know at once; the first of them does not wait. */
const ASSERTIVE_EVERY = 1000;

/** Of many messages only the first is announced in full. */
interface Gathered {
  readonly first: string;
  count: number;
}

/** One live region: messages that come close together are announced as one. */
class Region {
  text = $state("");
  #gathered: Gathered | null = null;
  #timer: ReturnType<typeof setTimeout> | null = null;
  #last = -Infinity;
  readonly #every: number;
  readonly #summarise: (first: string, count: number) => string;

  constructor(every: number, summarise: (first: string, count: number) => string) {
    this.#every = every;
    this.#summarise = summarise;
  }

  say(text: string): void {
    if (this.#gathered) this.#gathered.count += 1;
    else this.#gathered = { first: text, count: 1 };
    if (this.#timer !== null) return;
    const wait = Math.max(0, this.#last + this.#every - Date.now());
    this.#timer = setTimeout(() => this.#flush(), wait);
  }

  #flush(): void {
    this.#timer = null;
    this.#last = Date.now();
    const gathered = this.#gathered;
    this.#gathered = null;
    if (!gathered) return;
    const text = gathered.count === 1 ? gathered.first : this.#summarise(gathered.first, gathered.count);
    // The same words again are no change of the page, and would not be heard.
    this.text = text === this.text ? `${text}\u00a0` : text;
  }
}

/**
 * The live regions. Polite news is gathered and said at most once in five seconds; assertive news is kept for what a
 * person must know at once, and is gathered too when much happens in a second.
 */
export class Announcer {
  readonly #polite: Region;
  readonly #assertive: Region;

  constructor(summarise: (first: string, count: number) => string) {
    this.#polite = new Region(POLITE_EVERY, summarise);
    this.#assertive = new Region(ASSERTIVE_EVERY, summarise);
  }

  get polite(): string {
    return this.#polite.text;
  }

  get assertive(): string {
    return this.#assertive.text;
  }

  say(text: string): void {
    this.#polite.say(text);
  }

  sayNow(text: string): void {
    this.#assertive.say(text);
  }
}
