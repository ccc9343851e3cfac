/** Separates two texts; it cannot be typed, so no word reaches from one text into the next. */
const BETWEEN = "\0";
/** Words whose answers are kept: all but the one being typed are asked for again with the next key. */
const KEPT = 4;

/**
 * Many short texts that are looked through for every key typed. They are kept as one long text: to visit ten thousand
 * strings all over the memory takes many times as long as to look through what they hold.
 */
export class SearchText {
  readonly #whole: string;
  /** Where each text ends in the whole. */
  readonly #ends: Float64Array;
  readonly #knownWords = new Map<string, Uint8Array>();

  constructor(texts: readonly string[]) {
    this.#whole = texts.join(BETWEEN);
    this.#ends = new Float64Array(texts.length);
    let end = -BETWEEN.length;
    for (let index = 0; index < texts.length; index += 1) {
      end += BETWEEN.length + (texts[index] as string).length;
      this.#ends[index] = end;
    }
  }

  /** Which of the texts have `word` in them, by their place: 1 for each that has, else 0. To be read, not written. */
  having(word: string): Uint8Array {
    const found = this.#knownWords.get(word) ?? this.#find(word);
    this.#knownWords.delete(word);
    this.#knownWords.set(word, found);
    const [oldest] = this.#knownWords.keys();
    if (oldest !== undefined && this.#knownWords.size > KEPT) this.#knownWords.delete(oldest);
    return found;
  }

  #find(word: string): Uint8Array {
    const found = new Uint8Array(this.#ends.length);
    let begin = 0;
    for (let index = 0; index < found.length; index += 1) {
      const at = this.#whole.indexOf(word, begin);
      if (at < 0) break;
      while (this.#end(index) < at) index += 1;
      found[index] = 1;
      begin = this.#end(index) + BETWEEN.length;
    }
    return found;
  }

  #end(index: number): number {
    return this.#ends[index] ?? Number.POSITIVE_INFINITY;
  }
}
