const SECOND = 1000;
const STEP = 10 * SECOND;
const YOUNG = 60 * SECOND;

/**
 * The time that relative texts read. Young times tick every second, older ones every ten, and nothing ticks while the
 * window is hidden. It follows the backend's clock, so that ages agree with the files.
 */
class Clock {
  #second = $state(Date.now());
  #step = $state(Date.now());
  #ahead = 0;
  #timer: ReturnType<typeof setInterval> | null = null;

  /** Now, ticking as fast as a text about `ms` needs. */
  for(ms: number): number {
    // The slow signal is asked first: a text about an old time must not wake up every second.
    return this.#step - ms < YOUNG ? this.#second : this.#step;
  }

  /** Now, without a subscription to every second. */
  get coarse(): number {
    return this.#step;
  }

  follow(backendNow: number): void {
    this.#ahead = backendNow - Date.now();
  }

  tick(): void {
    const now = Date.now() + this.#ahead;
    this.#second = now;
    if (Math.abs(now - this.#step) >= STEP) this.#step = now;
  }

  /** Starts ticking; the answer stops it. */
  start(): () => void {
    const look = () => {
      if (document.hidden) this.#pause();
      else this.#run();
    };
    document.addEventListener("visibilitychange", look);
    look();
    return () => {
      document.removeEventListener("visibilitychange", look);
      this.#pause();
    };
  }

  #run(): void {
    this.tick();
    this.#timer ??= setInterval(() => this.tick(), SECOND);
  }

  #pause(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
  }
}

export const clock = new Clock();
