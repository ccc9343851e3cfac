import type { App } from "./app.svelte";

const KEPT = 32;

/**
 * Keeps how a person left a part of each loop, for as long as the window is there. Of loops that were not looked at for
 * long nothing is kept.
 */
export function left<T>(make: (app: App) => T): (app: App, key: string) => T {
  const all = new WeakMap<App, Map<string, T>>();
  return (app, key) => {
    const mine = all.get(app) ?? new Map<string, T>();
    all.set(app, mine);
    const one = mine.get(key) ?? make(app);
    mine.delete(key);
    mine.set(key, one);
    for (const old of mine.keys()) {
      if (mine.size <= KEPT) break;
      mine.delete(old);
    }
    return one;
  };
}
