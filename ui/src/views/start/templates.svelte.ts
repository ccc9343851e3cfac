import type { StartForm, Template } from "../../host/bindings";
import type { Host } from "../../host/host";
import { Read } from "../../state/query.svelte";

/** Forms that the person saved under a name. */
export class Templates extends Read<readonly Template[]> {
  readonly #host: Host;

  constructor(host: Host) {
    super();
    this.#host = host;
  }

  async save(name: string, form: StartForm): Promise<void> {
    const work = { ...form.work, follow_up: null }; // another loop that is made of it follows from nothing
    await this.#host.runs.saveTemplate({
      name,
      form: { ...form, work, page: 0, worktree: "", replace: false },
    });
    await this.read();
  }

  async delete(name: string): Promise<void> {
    await this.#host.runs.deleteTemplate(name);
    await this.read();
  }

  protected readOnce(): Promise<Template[]> {
    return this.#host.runs.templates();
  }
}
