import type { SourcePage } from "../../../host/bindings";
import { Read } from "../../../state/query.svelte";

const PAGE = 2_000;
/** A text of more lines is only shown as source. */
export const MOST_LINES = 150_000;

type ReadLines = (first: number, count: number) => Promise<SourcePage>;

/** A whole document, read in pages, and read on while it grows. */
export class DocText extends Read<readonly string[]> {
  /** All of it is here. */
  whole = $state(false);
  file = $state("");
  size = $state(0);
  lossy = $state(false);
  /** One JSON object a line. */
  log = $state(false);
  /** It has more lines than are drawn here. */
  tooLong = $state(false);

  readonly #readLines: ReadLines;
  /** Only its end changes, so only its end is read again. */
  readonly #grows: boolean;

  constructor(read: ReadLines, grows: boolean) {
    super();
    this.#readLines = read;
    this.#grows = grows;
  }

  get lines(): readonly string[] {
    return this.value ?? [];
  }

  /** The first answer is here. */
  get loaded(): boolean {
    return this.value !== null || this.failure !== null;
  }

  protected async readOnce(): Promise<readonly string[]> {
    if (!(this.#grows && (await this.#readOn()))) await this.#readAll();
    return this.lines;
  }

  /** Reads from the last line that was complete; answers whether the text only grew. */
  async #readOn(): Promise<boolean> {
    const known = this.lines.length - 1;
    if (known < 1) return false;
    const page = await this.#readLines(known, PAGE);
    if (page.total < known || page.lines[0] !== this.lines[known - 1]) return false;
    await this.#collect([...this.lines.slice(0, known - 1), ...page.lines], page, false);
    return true;
  }

  async #readAll(): Promise<void> {
    const page = await this.#readLines(1, PAGE);
    // The first lines are shown at once; a text that is already here stays until the new one is whole.
    await this.#collect([...page.lines], page, !this.loaded);
  }

  async #collect(lines: string[], first: SourcePage, show: boolean): Promise<void> {
    let page = first;
    if (show) this.#take(lines, page, false);
    while (lines.length < page.total && page.total <= MOST_LINES && page.lines.length > 0) {
      page = await this.#readLines(lines.length + 1, PAGE);
      lines.push(...page.lines);
    }
    this.#take(lines, page, true);
  }

  #take(lines: readonly string[], page: SourcePage, whole: boolean): void {
    this.tooLong = page.total > MOST_LINES;
    this.value = this.tooLong ? [] : [...lines];
    this.file = page.file;
    this.size = page.size;
    this.lossy ||= page.lossy;
    this.log = page.log;
    this.whole = whole;
  }
}
