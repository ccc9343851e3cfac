import type { Failure, FolderView, Leaving, Scope, Steering, TeamPage, TriedTeam } from "../host/bindings";
import { asFailure } from "../host/failure";
import type { Host } from "../host/host";
import { Read } from "./query.svelte";

/** How much of a folder is shared, as a person chooses it. */
export type ShareChoice = Scope | "nothing";

export const LEVELS: readonly ShareChoice[] = ["nothing", "rows", "state", "progress", "output"];

/** Whether files would leave the machine that do not leave it now. */
export function sharesMore({ scope }: Pick<FolderView, "scope">, choice: ShareChoice): boolean {
  return LEVELS.indexOf(choice) > LEVELS.indexOf(scope ?? "nothing");
}

/** The files that leave the machine by a choice. Output has no files of its own. */
export function leavingOf(folder: FolderView, choice: ShareChoice): Leaving {
  if (choice === "nothing") return { files: 0, bytes: 0, names: [] };
  return folder[choice === "output" ? "progress" : choice];
}

/** The team of this machine, and what it shares. */
export class TeamState extends Read<TeamPage> {
  /** What a person asked for last went wrong. */
  refused: Failure | null = $state.raw(null);
  /** What went wrong with a sent run that a person did something with last. */
  runFailure: { readonly id: string; readonly failure: Failure } | null = $state.raw(null);
  /** A dialog is open, which shows that itself. */
  asking = $state(false);
  /** What the last try found. */
  tried: TriedTeam | null = $state.raw(null);
  /** It joins, leaves or tries, or does something with a sent run. */
  busy = $state(false);

  readonly #host: Host;

  constructor(host: Host) {
    super();
    this.#host = host;
  }

  /** A dialog opens, or closes: what went wrong before is no longer of interest. */
  ask(open: boolean): void {
    this.refused = null;
    this.asking = open;
  }

  /** Nothing before it was read. */
  get page(): TeamPage | null {
    return this.value;
  }

  protected readOnce(): Promise<TeamPage> {
    return this.#host.team();
  }

  /** Asks for an invitation; answers whether this machine is in the team now. */
  async join(): Promise<boolean> {
    let joined = false;
    this.tried = null;
    const taken = await this.#alone(async () => void (joined = await this.#host.joinTeam()));
    return taken && joined;
  }

  /** What an invitation allows, as the server says now; nothing when the person cancels or it fails. */
  async try(): Promise<void> {
    this.tried = null;
    await this.#alone(async () => void (this.tried = await this.#host.tryTeam()));
  }

  /** Answers whether it was taken. */
  leave(): Promise<boolean> {
    return this.#alone(() => this.#host.leaveTeam());
  }

  /** Answers whether it was taken. */
  share(folder: string, choice: ShareChoice, steering: Steering): Promise<boolean> {
    return this.#do(() => this.#host.shareFolder(folder, choice === "nothing" ? null : choice, steering));
  }

  /** Makes a branch of what came of a run; answers its name, or nothing with what is wrong shown at the run. */
  async takeIn(id: string): Promise<string | null> {
    let branch: string | null = null;
    await this.#withRun(id, async () => void (branch = await this.#host.takeInRun(id)));
    return branch;
  }

  /** Answers whether it was taken. */
  withdraw(id: string): Promise<boolean> {
    return this.#withRun(id, () => this.#host.withdrawRun(id));
  }

  /** Answers whether it was taken; `before` is called before it leaves the list. */
  forget(id: string, before: () => void): Promise<boolean> {
    return this.#withRun(id, () => this.#host.forgetRun(id), before);
  }

  async #withRun(
    id: string,
    work: () => Promise<unknown>,
    done: () => void = () => undefined,
  ): Promise<boolean> {
    if (this.busy) return false;
    this.busy = true;
    this.runFailure = null;
    try {
      await work();
    } catch (reason) {
      this.runFailure = { id, failure: asFailure(reason) };
      return false;
    } finally {
      this.busy = false;
    }
    done();
    await this.read();
    return true;
  }

  /** A second click while the first is under way does nothing. */
  async #alone(work: () => Promise<unknown>): Promise<boolean> {
    if (this.busy) return false;
    this.busy = true;
    try {
      return await this.#do(work);
    } finally {
      this.busy = false;
    }
  }

  async #do(work: () => Promise<unknown>): Promise<boolean> {
    this.refused = null;
    try {
      await work();
    } catch (reason) {
      this.refused = asFailure(reason);
      return false;
    }
    await this.read();
    return true;
  }
}
