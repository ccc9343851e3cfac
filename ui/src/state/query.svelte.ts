import { untrack } from "svelte";
import type { Failure } from "../host/bindings";
import { asFailure } from "../host/failure";

/** What a question that takes several answers needs. */
export interface Asking<Value> {
  /** Aborted once the answer is of no interest any more. */
  readonly signal: AbortSignal;
  /** Shows what is known so far, until the whole is there. */
  show(value: Value): void;
}

type Ask<Value, Of> = (of: Of, asking: Asking<Value>) => Promise<Value>;

/**
 * What becomes of the last answer when another thing is asked for: it goes, it stays until the next one is there, or it stays and
 * is waited for, so that no two are made at the same time.
 */
type Between = "drop" | "keep" | "wait";

/**
 * One thing that the page reads of the backend. Of the same thing one read at a time, and requests meanwhile are combined into one
 * more at the end. What was read before stays while it is read again, and when that fails.
 */
export abstract class Read<Value, Of = null> {
  /** Null until it was read. */
  value: Value | null = $state.raw(null);
  /** Why the last read failed; `read` repeats it. */
  failure: Failure | null = $state.raw(null);
  /** A read is under way. */
  reading = $state(false);

  protected readonly between: Between = "drop";
  #of = null as Of;
  #about: string | undefined;
  #version: string | undefined;
  #nothing = false;
  #asking = new AbortController();
  #working: Promise<void> | null = null;
  #again = false;

  protected abstract readOnce(of: Of, asking: Asking<Value>): Promise<Value>;

  /** Reads one thing, once for each version of it; null asks for nothing. */
  follow(of: Of | null, version: unknown = null): Promise<void> {
    const [about, seen] = [JSON.stringify(of), JSON.stringify(version)];
    if (about === this.#about && seen === this.#version) return this.done();
    const isOther = about !== this.#about;
    if (isOther && (of === null || this.between !== "wait")) this.cancel();
    if (of === null || (isOther && this.between === "drop")) this.value = this.failure = null;
    [this.#about, this.#version, this.#nothing] = [about, seen, of === null];
    if (of !== null) this.#of = of;
    return this.read();
  }

  /** Reads again. Done when what is there now was read. */
  read(): Promise<void> {
    if (this.#nothing) return Promise.resolve();
    this.#again = true;
    this.#working ??= this.#work(this.#asking.signal);
    return this.#working;
  }

  /** Reads, unless it was read or is being read. */
  async once(): Promise<void> {
    if (this.value === null && this.#working === null) await this.read();
  }

  /** Done when nothing is being read. */
  done(): Promise<void> {
    return this.#working ?? Promise.resolve();
  }

  /** An answer that still comes is dropped. */
  cancel(): void {
    this.#asking.abort();
    this.#asking = new AbortController();
    this.#working = null;
    this.reading = this.#again = false;
  }

  async #work(signal: AbortSignal): Promise<void> {
    const take = (value: Value) => {
      if (!signal.aborted) [this.value, this.failure] = [value, null];
    };
    this.reading = true;
    while (this.#again && !signal.aborted) {
      this.#again = false;
      try {
        take(await this.readOnce(this.#of, { signal, show: take }));
      } catch (reason) {
        if (!signal.aborted) this.failure = asFailure(reason);
      }
    }
    if (signal.aborted) return;
    this.#working = null;
    this.reading = false;
  }
}

/** A read that one function makes. */
export class Query<Value, Of = null> extends Read<Value, Of> {
  protected override readonly between: Between;
  readonly #ask: Ask<Value, Of>;

  constructor(ask: Ask<Value, Of>, between: Between = "drop") {
    super();
    this.#ask = ask;
    this.between = between;
  }

  protected readOnce(of: Of, asking: Asking<Value>): Promise<Value> {
    return this.#ask(of, asking);
  }
}

/**
 * What a component reads: again whenever what `of` or `version` uses changes. Null asks for nothing. It ends with the component.
 */
export function query<Value, Of>(
  of: () => Of | null,
  ask: Ask<Value, Of>,
  { version = () => null, between = "drop" }: { version?: () => unknown; between?: Between } = {},
): Query<Value, Of> {
  const made = new Query(ask, between);
  $effect(() => {
    const [now, seen] = [of(), version()];
    untrack(() => void made.follow(now, seen));
  });
  $effect(() => () => made.cancel());
  return made;
}

/** Asks until every loop is counted, and shows each answer on the way. */
export async function untilCounted<Counted extends { readonly left: number }>(
  ask: () => Promise<Counted>,
  { signal, show }: Asking<Counted>,
): Promise<Counted> {
  let counted = await ask();
  while (counted.left > 0 && !signal.aborted) {
    show(counted);
    counted = await ask();
  }
  return counted;
}
