/** Work that runs once the person pauses: a request meanwhile restarts the wait. */
export class Later {
  readonly #work: () => void;
  readonly #wait: number;
  #timer: ReturnType<typeof setTimeout> | null = null;

  constructor(work: () => void, wait: number) {
    this.#work = work;
    this.#wait = wait;
  }

  ask(): void {
    this.forget();
    this.#timer = setTimeout(() => this.now(), this.#wait);
  }

  /** What is waited for is done at once; nothing when nothing is. */
  flush(): void {
    if (this.#timer !== null) this.now();
  }

  now(): void {
    this.forget();
    this.#work();
  }

  forget(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }
}
