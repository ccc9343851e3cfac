import type { Failure, SourcePage } from "../host/bindings";
import { asFailure } from "../host/failure";

const PAGE = 200;

type Read = (first: number, count: number) => Promise<SourcePage>;

/** A text file seen through pages of lines; only pages near the view are held. */
export class TextPages {
  total = $state(0);
  size = $state(0);
  file = $state("");
  lossy = $state(false);

  readonly #read: Read;
  /** Why pages did not come. They are asked for again when they are needed again. */
  #failures: ReadonlyMap<number, Failure> = $state.raw(new Map());
  #pages: ReadonlyMap<number, readonly string[]> = $state.raw(new Map());
  readonly #askedPages = new Set<number>();
  /** Answers of an older version of the file are dropped. */
  #version = 0;

  constructor(read: Read) {
    this.#read = read;
  }

  get failure(): Failure | null {
    return this.#failures.values().next().value ?? null;
  }

  /** The text of a 1-based line, when its page is here. */
  line(number: number): string | undefined {
    const index = number - 1;
    return this.#pages.get(Math.floor(index / PAGE))?.[index % PAGE];
  }

  /** Makes sure that the pages of these lines come. */
  need(first: number, last: number): void {
    for (const page of this.#between(first, last)) {
      if (!this.#askedPages.has(page)) void this.#fetch(page);
    }
  }

  /** Asks again for what did not come. */
  retry(): void {
    for (const page of this.#failures.keys()) void this.#fetch(page);
  }

  /** The file changed: the pages in view are read again, the others forgotten. */
  async refresh(first: number, last: number): Promise<void> {
    this.#version += 1;
    this.#askedPages.clear();
    const wanted = this.#between(first, Math.max(first, last));
    const kept = [...this.#pages].filter(([page]) => wanted.includes(page));
    this.#pages = new Map(kept);
    this.#failures = new Map([...this.#failures].filter(([page]) => wanted.includes(page)));
    await Promise.all(wanted.map((page) => this.#fetch(page)));
  }

  #between(first: number, last: number): number[] {
    const from = Math.floor((first - 1) / PAGE);
    const to = Math.floor((Math.max(first, last) - 1) / PAGE);
    return Array.from({ length: to - from + 1 }, (_, index) => from + index);
  }

  async #fetch(page: number): Promise<void> {
    const version = this.#version;
    this.#askedPages.add(page);
    try {
      const answer = await this.#read(page * PAGE + 1, PAGE);
      if (version !== this.#version) return;
      this.#pages = new Map([...this.#pages, [page, answer.lines]]);
      this.total = answer.total;
      this.size = answer.size;
      this.file = answer.file;
      this.lossy ||= answer.lossy;
      this.#setFailure(page, null);
    } catch (reason) {
      if (version !== this.#version) return;
      this.#askedPages.delete(page);
      this.#setFailure(page, asFailure(reason));
    }
  }

  #setFailure(page: number, failure: Failure | null): void {
    if (failure === null && !this.#failures.has(page)) return;
    const others = [...this.#failures].filter(([one]) => one !== page);
    this.#failures = new Map(failure === null ? others : [...others, [page, failure]]);
  }
}
