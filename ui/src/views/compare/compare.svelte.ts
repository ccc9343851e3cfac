import type { ComparedMoment, Failure, SideBySide, VersionView } from "../../host/bindings";
import { asFailure } from "../../host/failure";
import type { Host } from "../../host/host";
import { Turns } from "../../state/turns";

/** Versions that are offered of a loop. */
const MOST_VERSIONS = 200;

/** One side that the person chooses: a loop, now or as a version has it. */
export class ChosenSide {
  key = $state("");
  /** Empty for now. */
  version = $state("");
  versions: readonly VersionView[] = $state.raw([]);

  readonly #host: Host;

  constructor(host: Host, key: string) {
    this.#host = host;
    this.key = key;
  }

  get moment(): ComparedMoment {
    return { key: this.key, version: this.version === "" ? null : Number(this.version) };
  }

  /** Whoever shows the side reads the versions of its loop. */
  choose(key: string): void {
    this.key = key;
    this.version = "";
  }

  /** A loop without kept versions can still be compared as it is now. */
  async readVersions(): Promise<void> {
    const { key } = this;
    const versions = await this.#host.history(key, MOST_VERSIONS).catch(() => []);
    if (key === this.key) this.versions = versions.filter(({ readable, current }) => readable && !current);
  }
}

/** Two sides, compared again whenever one of them is another one or has changed. */
export class Comparison {
  readonly left: ChosenSide;
  readonly right: ChosenSide;
  now: SideBySide | null = $state.raw(null);
  failure: Failure | null = $state.raw(null);

  readonly #host: Host;
  readonly #turns = new Turns(() => this.#once());

  constructor(host: Host, left: string, right: string) {
    this.#host = host;
    this.left = new ChosenSide(host, left);
    this.right = new ChosenSide(host, right);
  }

  read(): Promise<void> {
    return this.#turns.take();
  }

  async #once(): Promise<void> {
    try {
      this.now = await this.#host.compare(this.left.moment, this.right.moment);
      this.failure = null;
    } catch (reason) {
      this.failure = asFailure(reason);
    }
  }
}
