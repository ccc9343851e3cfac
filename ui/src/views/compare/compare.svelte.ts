import type { ComparedMoment, SideBySide, VersionView } from "../../host/bindings";
import type { Host } from "../../host/host";
import { Reads } from "../../state/reads.svelte";

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
export class Comparison extends Reads {
  readonly left: ChosenSide;
  readonly right: ChosenSide;
  now: SideBySide | null = $state.raw(null);

  readonly #host: Host;

  constructor(host: Host, left: string, right: string) {
    super();
    this.#host = host;
    this.left = new ChosenSide(host, left);
    this.right = new ChosenSide(host, right);
  }

  protected async readOnce(): Promise<void> {
    this.now = await this.#host.compare(this.left.moment, this.right.moment);
  }
}
