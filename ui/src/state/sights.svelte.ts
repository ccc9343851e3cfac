import { SvelteMap } from "svelte/reactivity";
import type { LookedUpPath } from "../host/bindings";
import type { Host } from "../host/host";

/** So many names are asked for at once. */
const AT_ONCE = 500;
/** More names than these are of parts that were left long ago. */
const MOST = 5000;

/** Whether the files that the opened loop names are there. Asked for when they are shown, many names at once. */
export class Sights {
  readonly #host: Host;
  readonly #knownPaths = new SvelteMap<string, LookedUpPath>();
  #key: string | null = null;
  #wantedNames = new Set<string>();
  #askedNames = new Set<string>();

  constructor(host: Host) {
    this.#host = host;
  }

  /** What is known of a name; null until it was looked up. */
  of(key: string, name: string): LookedUpPath | null {
    if (this.#key === key && this.#askedNames.has(name)) return this.#knownPaths.get(name) ?? null;
    // Looked up outside of what is being drawn: nothing may change there.
    queueMicrotask(() => this.#want(key, name));
    return this.#knownPaths.get(name) ?? null;
  }

  /** Looks again: files come and go. */
  refresh(): void {
    if (this.#key !== null && this.#askedNames.size > 0) void this.#ask(this.#key, [...this.#askedNames]);
  }

  #want(key: string, name: string): void {
    if (this.#key !== key || this.#askedNames.size >= MOST) {
      this.#key = key;
      this.#askedNames = new Set();
      this.#wantedNames = new Set();
      this.#knownPaths.clear();
    }
    if (this.#askedNames.has(name)) return;
    this.#askedNames.add(name);
    if (this.#wantedNames.size === 0) queueMicrotask(() => this.#askWanted());
    this.#wantedNames.add(name);
  }

  #askWanted(): void {
    const names = [...this.#wantedNames];
    this.#wantedNames = new Set();
    if (this.#key !== null && names.length > 0) void this.#ask(this.#key, names);
  }

  async #ask(key: string, names: readonly string[]): Promise<void> {
    for (let at = 0; at < names.length; at += AT_ONCE) {
      const some = names.slice(at, at + AT_ONCE);
      // A loop that is gone names nothing; the click says what is wrong.
      const sights = await this.#host.sights(key, some).catch(() => []);
      if (this.#key !== key) return;
      sights.forEach((sight, index) => this.#knownPaths.set(some[index]!, sight));
    }
  }
}
