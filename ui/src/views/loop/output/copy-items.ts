import type { MenuItem } from "../../../components/menu";
import type { RunRow } from "../../../host/bindings";
import type { App } from "../../../state/app.svelte";
import { say, t } from "../../../words/language.svelte";
import { asText, rowsMarkdown } from "./copy";
import type { OutputPages } from "./pages.svelte";

/** More rows than this are too many for a clipboard. */
const MOST = 2_000;
const NEWEST = 200;

/** Both ends of what is chosen, in any order. */
export interface Chosen {
  readonly active: number | null;
  readonly other: number | null;
}

/** Copies rows `from` to `to`, that one too. */
async function copy(app: App, pages: OutputPages, from: number, to: number, run?: RunRow): Promise<void> {
  try {
    const rows = await pages.rows(from, to + 1, MOST);
    await app.desktop.copy(run ? rowsMarkdown(run, rows) : asText(rows));
  } catch {
    app.notices.notify(t.app.copyFailed);
  }
}

/** The chosen rows as text, or as Markdown that names the run. */
export function copyChosen(app: App, pages: OutputPages, chosen: Chosen, run?: RunRow): void {
  const { active } = chosen;
  if (active === null) return;
  const other = chosen.other ?? active;
  void copy(app, pages, Math.min(active, other), Math.max(active, other), run);
}

/** What can be copied of the output of a run. */
export function copyItems(
  app: App,
  pages: OutputPages,
  run: RunRow,
  chosen: Chosen,
  onlink: (() => void) | null,
): MenuItem[] {
  const { active, other } = chosen;
  const reason = active === null ? t.output.nothingChosen : undefined;
  const count = active === null ? 0 : Math.abs((other ?? active) - active) + 1;
  return [
    {
      id: "copy-rows",
      label: count > 1 ? say(t.output.copyRows, { count }) : t.common.copy,
      shortcut: "c",
      reason,
      run: () => copyChosen(app, pages, chosen),
    },
    {
      id: "copy-markdown",
      label: t.output.copyMarkdown,
      reason,
      run: () => copyChosen(app, pages, chosen, run),
    },
    {
      id: "copy-newest",
      label: t.output.copyEnd,
      apart: true,
      run: () => void copy(app, pages, Math.max(0, pages.total - NEWEST), pages.total - 1, run),
    },
    ...(onlink ? [{ id: "copy-row-link", label: t.common.copyLink, reason, run: onlink }] : []),
  ];
}
