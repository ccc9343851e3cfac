import type { Failure, StartForm, Template } from "../../host/bindings";
import { asFailure } from "../../host/failure";
import type { Host } from "../../host/host";

/** Forms that the person saved under a name. */
export class Templates {
  all: readonly Template[] = $state.raw([]);
  failure: Failure | null = $state.raw(null);
  readonly #host: Host;

  constructor(host: Host) {
    this.#host = host;
  }

  async read(): Promise<void> {
    try {
      this.all = await this.#host.runs.templates();
      this.failure = null;
    } catch (reason) {
      this.failure = asFailure(reason);
    }
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
}
