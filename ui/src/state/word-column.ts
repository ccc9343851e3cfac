/**
 * One word of each of many rows, of which there are few different ones. What is asked of a word is asked once and not
 * for every row, and the rows, which lie all over the memory, are read only when the column is made.
 */
export class WordColumn {
  /** The different words, in the order in which they come first. */
  readonly #words: readonly string[];
  /** For each row where its word stands among them. */
  readonly #codes: Uint32Array;

  constructor(words: readonly string[]) {
    const codes = new Map<string, number>();
    this.#codes = Uint32Array.from(words, (word) => {
      const known = codes.get(word);
      if (known === undefined) codes.set(word, codes.size);
      return known ?? codes.size - 1;
    });
    this.#words = [...codes.keys()];
  }

  /** Tells of each row, by its place, whether its word is wanted. */
  having(wanted: (word: string) => boolean): (place: number) => boolean {
    const answers = this.#words.map(wanted);
    const codes = this.#codes;
    return (place) => answers[codes[place] as number] === true;
  }
}
