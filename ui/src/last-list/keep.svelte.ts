import type { App } from "../state/app.svelte";
import { language, t } from "../words/language.svelte";
import { takePicture } from "./picture";

/** Milliseconds between two pictures, however often the list changes. */
const BETWEEN = 5_000;

/** Keeps a picture of the list for the next start, a moment after a change. Call it inside an effect, with the window's root. */
export function keepLastList(app: App, root: () => Element | undefined): () => void {
  const { catalog, settings, navigation, list } = app;
  let waiting: ReturnType<typeof setTimeout> | undefined;

  $effect(() => {
    void [catalog.version, catalog.workspaces, navigation.place, list.filter, settings.shownTheme];
    void [settings.density, settings.hiddenColumns, language.id];
    waiting ??= setTimeout(keep, BETWEEN);
  });

  function keep(): void {
    waiting = undefined;
    const window = root();
    if (!window || !isComplete()) return;
    const picture = catalog.size === 0 ? null : JSON.stringify(takePicture(window, t.lastList.note));
    // Without it, the next start shows an older list or none.
    app.host.keepLastList(picture).catch(() => undefined);
  }

  /** The list as a start shows it: whole, unfiltered, from the top, with nothing above it. */
  function isComplete(): boolean {
    const alone =
      navigation.dialog === null && !app.closing && !app.trustAgain.asked && !app.needs.open && !app.dragging;
    return (
      catalog.isRead &&
      alone &&
      navigation.place.kind === "list" &&
      list.filter === "" &&
      list.scrollTop === 0
    );
  }

  return () => clearTimeout(waiting);
}
