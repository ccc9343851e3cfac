/** Keys of the view on screen, as the status bar shows them; without keys, a text that names them itself. */
interface Hint {
  readonly keys: readonly string[];
  readonly text: string;
}

/** The one place for key hints: a view says which keys it has, and takes them back when it goes. */
export class Hints {
  shown: readonly Hint[] = $state.raw([]);

  /** Answers what takes them back; later ones of another view stay. */
  show(hints: readonly Hint[]): () => void {
    this.shown = hints;
    return () => {
      if (this.shown === hints) this.shown = [];
    };
  }
}
