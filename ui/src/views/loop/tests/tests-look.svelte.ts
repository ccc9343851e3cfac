import type { TestChip, TestSort } from "../../../host/bindings";
import { left } from "../../../state/left";
import type { Shown } from "./shown";
import { Toggled } from "./toggled";

/** How a person looks at the tests of one loop: what is filtered, sorted, opened. */
export class TestsLook {
  /** The run; null follows the latest. */
  run: number | null = $state(null);
  shown: Shown = $state("tests");
  text = $state("");
  chips: readonly TestChip[] = $state.raw([]);
  sort: TestSort = $state("failed_first");
  /** Opened tests by name, with the height of what they show. */
  opened: ReadonlyMap<string, number> = $state.raw(new Map());
  /** The run whose first failure was opened: closed again, it stays closed. */
  openedFor: number | null = null;
  readonly toggled = new Toggled();
  /** How far the table is scrolled, in pixels. */
  top = 0;

  /** Everything, from the beginning. */
  clear(): void {
    this.text = "";
    this.chips = [];
    this.top = 0;
  }
}

export const testsLookOf = left(() => new TestsLook());
