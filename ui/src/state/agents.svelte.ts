import type { AgentRow, CustomAgentForm, FormProblem } from "../host/bindings";
import { asFailure } from "../host/failure";
import type { Host } from "../host/host";
import { Read } from "./query.svelte";

/** The agents of this computer, as the doctor found them. */
export class AgentsState extends Read<readonly AgentRow[]> {
  readonly #host: Host;
  /** Programs are to be asked again. */
  #anew = false;

  constructor(host: Host) {
    super();
    this.#host = host;
  }

  /** Searches again; `anew` also asks programs that have answered before. */
  async look(anew: boolean): Promise<void> {
    this.#anew ||= anew;
    await this.read();
  }

  protected readOnce(): Promise<AgentRow[]> {
    const anew = this.#anew;
    this.#anew = false;
    return this.#host.runs.agents(anew);
  }

  /** Nothing before it was looked for. */
  get rows(): readonly AgentRow[] | null {
    return this.value;
  }

  get usable(): AgentRow[] {
    return (this.rows ?? []).filter((agent) => agent.readiness === "usable");
  }

  named(name: string): AgentRow | undefined {
    return this.rows?.find((agent) => agent.name === name);
  }

  /** Saves a person's own agent; answers what is wrong with it. */
  async save(agent: CustomAgentForm): Promise<FormProblem[]> {
    const problems = await this.#host.runs.saveAgent(agent);
    if (problems.length === 0) await this.look(false);
    return problems;
  }

  async remove(id: string): Promise<void> {
    await this.#do(() => this.#host.runs.removeAgent(id));
  }

  /** Asks for a program and uses it; answers its path, or nothing when none was chosen. */
  async choose(id: string): Promise<string | null> {
    let picked: string | null = null;
    await this.#do(async () => {
      picked = await this.#host.runs.pickProgram();
      if (picked !== null) await this.#host.runs.setProgram(id, picked);
    });
    return this.failure ? null : picked;
  }

  /** Uses whatever is found. */
  async useFound(id: string): Promise<void> {
    await this.#do(() => this.#host.runs.setProgram(id, null));
  }

  async #do(work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
      await this.look(false);
    } catch (reason) {
      this.failure = asFailure(reason);
    }
  }
}
