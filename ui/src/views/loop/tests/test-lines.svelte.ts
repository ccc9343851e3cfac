import type { Failure, TestLine, TestQuery, TestTablePage } from "../../../host/bindings";
import { asFailure } from "../../../host/failure";
import type { Host } from "../../../host/host";

/** What is asked, but for the window of it. */
export type Asked = Omit<TestQuery, "offset" | "limit">;

type Head = Omit<TestTablePage, "lines" | "offset">;

const PAGE = 200;
/** Pages kept; 100,000 tests have 500. */
const KEPT = 16;

/** The lines of a table of tests, read in pages as they come near the view. */
export class TestLines {
  /** The last answer for the lines; null until then. */
  head: Head | null = $state.raw(null);
  failure: Failure | null = $state.raw(null);
  /** What the lines are the answer to. */
  answered: Asked | null = $state.raw(null);
  busy = $state(false);
  #version = $state(0);

  readonly #host: Host;
  readonly #key: string;
  #asked: Asked | null = null;
  #generation = 0;
  #pages = new Map<number, readonly TestLine[]>();
  #reading = false;
  #next: (() => Promise<void>) | null = null;

  constructor(host: Host, key: string) {
    this.#host = host;
    this.#key = key;
  }

  get total(): number {
    return this.head?.total ?? 0;
  }

  /** Undefined until its page is read. */
  line(index: number): TestLine | undefined {
    void this.#version;
    return this.#pages.get(pageOf(index))?.[index % PAGE];
  }

  /** The lines at hand with their numbers. */
  *known(): Generator<readonly [number, TestLine]> {
    void this.#version;
    for (const [page, lines] of this.#pages) {
      for (let at = 0; at < lines.length; at += 1) yield [page * PAGE + at, lines[at]!];
    }
  }

  /**
   * Asks something new, or the same again. What is on screen stays until the answer for the lines from `first` to
   * `end` is whole. Answers whether it came; it does not when something else was asked meanwhile.
   */
  async ask(asked: Asked, first: number, end: number): Promise<boolean> {
    const mine = ++this.#generation;
    this.#asked = asked;
    this.#next = null;
    this.busy = true;
    try {
      const pages = await Promise.all(pagesOf(first, end).map((page) => this.#read(asked, page)));
      if (mine !== this.#generation) return false;
      this.#pages = new Map(pages.map((page) => [pageOf(page.offset), page.lines]));
      this.head = pages[0]!;
      this.answered = asked;
      this.failure = null;
      this.#version += 1;
    } catch (reason) {
      if (mine !== this.#generation) return false;
      this.failure = asFailure(reason);
    }
    this.busy = false;
    return this.failure === null;
  }

  /**
   * Reads what is missing of the lines that come into view; `keep` names lines that must not be forgotten. One read at
   * a time: who drags the scroll bar passes many pages, and only the last of them matters.
   */
  async show(first: number, end: number, keep: readonly number[]): Promise<void> {
    if (!this.#asked || this.busy || this.total === 0) return;
    const wanted = pagesOf(first, Math.min(end, this.total));
    const missing = wanted.filter((page) => !this.#pages.has(page));
    if (missing.length === 0) return;
    this.#next = () => this.show(first, end, keep);
    if (this.#reading) return;
    this.#next = null;
    await this.#more(this.#asked, missing, new Set([...wanted, ...keep.map(pageOf)]));
  }

  async #more(asked: Asked, missing: readonly number[], keep: ReadonlySet<number>): Promise<void> {
    const mine = this.#generation;
    this.#reading = true;
    try {
      const pages = await Promise.all(missing.map((page) => this.#read(asked, page)));
      if (mine !== this.#generation) return;
      for (const page of pages) this.#pages.set(pageOf(page.offset), page.lines);
      this.#forget(keep);
      this.failure = null;
      this.#version += 1;
    } catch (reason) {
      if (mine === this.#generation) this.failure = asFailure(reason);
    } finally {
      this.#reading = false;
      const next = this.#next;
      this.#next = null;
      if (next && this.failure === null) void next();
    }
  }

  #read(asked: Asked, page: number): Promise<TestTablePage> {
    return this.#host.tests(this.#key, { ...asked, offset: page * PAGE, limit: PAGE });
  }

  #forget(keep: ReadonlySet<number>): void {
    for (const page of this.#pages.keys()) {
      if (this.#pages.size <= KEPT) return;
      if (!keep.has(page)) this.#pages.delete(page);
    }
  }
}

function pageOf(line: number): number {
  return Math.floor(line / PAGE);
}

/** The pages that contain these lines; at least one, for what comes with the lines. */
function pagesOf(first: number, end: number): number[] {
  const from = Math.max(0, pageOf(first));
  const to = Math.max(from, Math.ceil(end / PAGE) - 1);
  return Array.from({ length: to - from + 1 }, (_, at) => from + at);
}
