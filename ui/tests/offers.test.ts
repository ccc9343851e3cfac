import { describe, expect, it } from "vitest";
import type { Control, LoopRow, LoopRun, RefusalCode, Verb } from "../src/host/bindings";
import { sampleRows } from "../src/host/memory";
import type { App } from "../src/state/app.svelte";
import { offeredControls, offeredVerbs } from "../src/state/menu-items";
import { waitingOffers } from "../src/views/loop/output/offer";

function control(verb: Verb, refused: RefusalCode | null = null): Control {
  const refusal = refused ? { code: refused, args: {}, status: null } : null;
  return {
    verb,
    refusal,
    effect: "start_by_hand",
    args: {},
    confirm: false,
    takes_reason: false,
    notice: null,
  };
}

const verbsOf = (controls: Control[]) => offeredControls(controls).map((one) => one.verb);

describe("Start beside Resume", () => {
  it("is not offered where Resume is legal, also when Resume would first raise the limit", () => {
    expect(verbsOf([control("start"), control("resume"), control("stop")])).toEqual(["resume", "stop"]);
    expect(verbsOf([control("start"), control("resume", "limit_reached")])).toEqual(["resume"]);
  });

  it("is offered where Resume is refused or not of the format", () => {
    expect(verbsOf([control("start"), control("resume", "not_paused")])).toEqual(["start", "resume"]);
    expect(verbsOf([control("start"), control("resume", "not_in_format")])).toEqual(["start"]);
  });

  it("is not among the commands of a row either", () => {
    const [row] = sampleRows(Date.now());
    expect(offeredVerbs({ ...row!, verbs: ["start", "resume", "stop"] })).toEqual(["resume", "stop"]);
    expect(offeredVerbs({ ...row!, verbs: ["start", "stop"] })).toEqual(["start", "stop"]);
  });
});

describe("Pause now", () => {
  const run = { alive: true, workers: [] } as unknown as LoopRun;
  const help = (format: LoopRow["format"]) => {
    const row: LoopRow = { ...sampleRows(Date.now())[0]!, format, run, word: "pausing" };
    return waitingOffers({} as App, row).find(({ id }) => id === "pause_now")?.help;
  };

  it("says what becomes of the workers of an AoT loop, and of the action of the others", () => {
    expect(help("aot")).toContain("Ends the running workers. Finished atoms are kept");
    expect(help("loop_v2")).toContain("Interrupts the current action.");
  });
});
