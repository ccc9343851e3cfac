import type { Need } from "../../host/bindings";
import type { App } from "../../state/app.svelte";
import { itemText } from "../loop/output/item";

/** The output of the run that a need stems from; of the newest one where it stems from none. */
export function showOutput(app: App, need: Need): void {
  app.needs.open = false;
  const item = need.run === null ? null : itemText({ run: need.run, row: null });
  app.navigation.openAt({ key: need.key, tab: "output", item });
}
