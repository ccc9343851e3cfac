import type { Need } from "../../host/bindings";
import type { App } from "../../state/app.svelte";
import { isTab } from "../../state/place";

/** The output of the run that a need is about, or what happened last where there is no such part. */
export function showOutput(app: App, need: Need): void {
  app.needs.open = false;
  const output = "output";
  app.open(need.key, isTab(output) ? output : "activity");
}
