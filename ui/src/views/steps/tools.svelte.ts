import { TASK_FORMS, type AgentRow } from "../../host/bindings";
import type { Host } from "../../host/host";
import { toolOptions, wordOptions } from "./options";

/** Tools that a form of tasks offers: the agents of this computer, and until they are known the format's own words. */
export class Tools {
  #agents: readonly AgentRow[] | null = $state.raw(null);

  constructor(host: Host) {
    // Not knowing them is no reason to keep anybody from a task.
    host.runs.agents(false).then(
      (found) => (this.#agents = found),
      () => {},
    );
  }

  readonly options: readonly (readonly [string, string])[] = $derived(
    this.#agents ? toolOptions(this.#agents) : wordOptions<string>(TASK_FORMS.tools),
  );
}
