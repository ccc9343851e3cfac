import { samePart, type Place } from "./place";

const LONGEST = 50;

/** The places a person came through, to go back to. */
export class Trail {
  readonly #past: Place[] = [];
  readonly #ahead: Place[] = [];

  /** The person leaves `from` for `to`. */
  leave(from: Place, to: Place): void {
    if (samePart(from, to)) return;
    this.#past.push(from);
    if (this.#past.length > LONGEST) this.#past.shift();
    this.#ahead.length = 0;
  }

  /** Where the person was before; nothing at the beginning. */
  back(from: Place): Place | undefined {
    return takeStep(this.#past, this.#ahead, from);
  }

  /** Where the person went back from. */
  forward(from: Place): Place | undefined {
    return takeStep(this.#ahead, this.#past, from);
  }
}

function takeStep(source: Place[], target: Place[], from: Place): Place | undefined {
  const to = source.pop();
  if (to) target.push(from);
  return to;
}
