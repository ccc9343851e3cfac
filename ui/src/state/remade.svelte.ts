import { untrack } from "svelte";

/**
 * A value that is made from the last one, so that what stays the same in it stays the same object. A `$derived` must
 * remember nothing: it may run at any time, or not at all. This runs once before whatever shows it is drawn again. Only
 * where effects may be created.
 */
export function remade<T>(next: (before: T | undefined) => T): { readonly current: T } {
  let value: T | undefined = $state.raw();
  $effect.pre(() => {
    value = next(untrack(() => value));
  });
  return {
    get current() {
      return value as T;
    },
  };
}
