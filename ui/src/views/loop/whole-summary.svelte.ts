import type { AtomView } from "../../host/bindings";
import { query, type Query } from "../../state/query.svelte";
import { useApp } from "../../state/app.svelte";

type Result = Pick<AtomView, "id" | "summary" | "summary_cut">;

/** The whole result of the atom on screen, where the loop's page has only its beginning: asked for once for each version of the file, which
 * was written at `changed`. Its beginning until the rest is there. */
export function wholeSummary(
  key: () => string,
  atom: () => Result | null,
  changed: () => number | null,
): { readonly text: string; readonly read: Query<string | null, Pick<Result, "id" | "summary">> } {
  const { host } = useApp();
  const read = query(
    () => {
      const of = atom();
      return of?.summary_cut ? { id: of.id, summary: of.summary } : null;
    },
    ({ id }) => host.atomSummary(key(), id),
    { version: changed },
  );
  return {
    get text() {
      return read.value ?? atom()?.summary ?? "";
    },
    read,
  };
}
