import type { ComparedMoment } from "../../host/bindings";

/** One side that the person chooses: a loop, now or as a version has it. */
export class ChosenSide {
  key = $state("");
  /** Empty for now. */
  version = $state("");

  constructor(key: string) {
    this.key = key;
  }

  get moment(): ComparedMoment {
    return { key: this.key, version: this.version === "" ? null : Number(this.version) };
  }

  choose(key: string): void {
    this.key = key;
    this.version = "";
  }
}
