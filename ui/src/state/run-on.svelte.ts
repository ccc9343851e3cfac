import type { IfGone, Role, RunPlaces, Seat, Target } from "../host/bindings";
import type { Host } from "../host/host";
import { Read } from "./query.svelte";

/** The largest memory that can be asked for, in GB. */
export const MOST_MEMORY = 65_536;

/** Whether a machine with this role may have loops run by others. */
export function maySend(role: Role | undefined): boolean {
  return role === "member" || role === "lead";
}

export function sameSeat(one: Seat, other: Seat): boolean {
  return one.member === other.member && one.machine === other.machine;
}

/** Where the loop of a start form is to run. It outlives the form, as an unfinished form does. */
export class RunOn extends Read<RunPlaces, string> {
  /** This computer, a machine of the team, or any of them. */
  choice: "here" | "any" | Seat = $state.raw("here");
  /** Of any machine, at least so much memory in GB. */
  memory: number | null = $state(null);
  /** What becomes of a run on any machine when that machine is gone. */
  whenGone: IfGone = $state("continue");

  readonly #host: Host;
  /** Of which folder. */
  #folder: string | null = null;
  /** For which folder something else than this computer was chosen last. */
  #chosenFor: string | null = null;
  #looks = 0;

  constructor(host: Host) {
    super();
    this.#host = host;
  }

  /** Where it is to be sent; nothing when it stays. */
  readonly target: Target | null = $derived.by(() => {
    if (this.choice === "here") return null;
    if (this.choice !== "any") return { kind: "machine", seat: this.choice };
    return { kind: "any", memory_gb: this.memoryIsValid ? (this.memory ?? 0) : 0 };
  });
  /** One machine is meant: there is no other that could continue. */
  readonly ifGone: IfGone = $derived(this.choice === "any" ? this.whenGone : "interrupt");

  get memoryIsValid(): boolean {
    const { memory } = this;
    return memory === null || (Number.isInteger(memory) && memory >= 0 && memory <= MOST_MEMORY);
  }

  isOn(seat: Seat): boolean {
    return typeof this.choice === "object" && sameSeat(this.choice, seat);
  }

  choose(choice: RunOn["choice"]): void {
    this.choice = choice;
    this.#chosenFor = choice === "here" ? null : this.#folder;
  }

  /** A form begins; only one that is continued in its folder keeps what was chosen for it. */
  begin(continued: string | null): void {
    if (continued !== null && continued === this.#chosenFor) return;
    this.choose("here");
    this.memory = null;
    this.whenGone = "continue";
  }

  /** Where loops of the folder can run; nothing before that is known. */
  get places(): RunPlaces | null {
    return this.failure ? null : this.value;
  }

  /** Asks where loops of a folder can run; nothing is asked of one that is not trusted. */
  look(folder: string | null): Promise<void> {
    this.#folder = folder;
    if (folder !== null && this.choice !== "here") this.#chosenFor = folder;
    this.#looks += 1;
    return this.follow(folder, this.#looks);
  }

  protected readOnce(folder: string): Promise<RunPlaces> {
    return this.#host.runPlaces(folder);
  }
}
