import { describe, expect, it } from "vitest";
import type { NewAtom, Tried } from "../src/host/bindings";
import { atomsOf, choiceOf, nextId, removeAtom, sentAot, fullAot, withIds } from "../src/views/start/aot";
import {
  beginForm,
  fullForm,
  newTask,
  pageOf,
  pagesOf,
  sentForm,
  spotOf,
  topOf,
} from "../src/views/start/form";
import { placedSentence } from "../src/views/start/sentences";
import { triedFacts, triedWords } from "../src/views/start/tried";
import { triedNow } from "../src/host/memory-runs";
import { sampleTried } from "../src/host/sample-start";
import { goodQuality, sharesOf, type CriterionForm } from "../src/views/steps/quality";
import { checkForm } from "../src/views/steps/checks";

const atom = (id: string, depends_on: string[] = [], or_group: string | null = null): NewAtom => ({
  id,
  description: id,
  depends_on,
  or_group,
});

describe("atoms of a form", () => {
  it("get ids that were never used while somebody types", () => {
    const atoms = [atom("A1"), atom("A7"), atom("design")];
    expect(nextId(atoms)).toBe("A8");
    expect(
      withIds([{ ...atom(""), id: null }, atom("A4"), { ...atom(""), id: " " }]).map(({ id }) => id),
    ).toEqual(["A5", "A4", "A6"]);
    expect(
      atomsOf([newTask("one"), newTask(" "), newTask("two")]).map(({ id, description }) => [id, description]),
    ).toEqual([
      ["A1", "one"],
      ["A2", "two"],
    ]);
  });

  it("leave nobody waiting for one that is taken out", () => {
    const atoms = [atom("A1"), atom("A2", ["A1"]), atom("A3", ["A1", "A2"])];
    removeAtom(atoms, 0);
    expect(atoms.map(({ depends_on }) => depends_on)).toEqual([[], ["A2"]]);
  });

  it("say which place they have among their alternatives", () => {
    const atoms = [atom("A1", [], "way"), atom("A2"), atom("A3", [], " way "), atom("A4", [], "")];
    expect(atoms.map((_, index) => choiceOf(atoms, index))).toEqual([1, null, 2, null]);
  });

  it("are sent as they are, in the place of tasks", () => {
    const form = beginForm({}, "/x");
    form.work.recipe = "checklist";
    form.work.tasks = [newTask("left from before")];
    expect(sentForm(form, undefined, null).work.tasks).toEqual([newTask("left from before")]);
    form.work.aot.atoms = [{ ...atom("A1"), description: " Do it ", or_group: " " }];
    const { work } = sentForm(form, undefined, null);
    expect(work.tasks).toEqual([]);
    expect(work.aot?.atoms).toEqual([{ ...atom("A1"), description: "Do it" }]);
    form.work.recipe = "fix_bug";
    expect(sentForm(form, undefined, { shape: "checklist", of: [] }).work).toMatchObject({
      base_case: null,
      aot: {},
    });
  });

  it("have limits that can be sent, or none", () => {
    const aot = fullAot({ max_parallel_agents: 0, max_stall_count: 4, in_scope: [" a ", " "] });
    expect(sentAot(aot)).toMatchObject({ max_parallel_agents: null, max_stall_count: 4, in_scope: ["a"] });
    const kept = fullForm({ ...beginForm({}, ""), work: { ...beginForm({}, "").work, aot: {} } });
    expect(kept.work.aot).toEqual(fullAot());
  });
});

describe("the place of a problem", () => {
  it("is the page of its field, and the check or atom in it", () => {
    expect(
      ["base_case.0.2", "atoms.1", "replace", "background_intent"].map((field) => pageOf({ field })),
    ).toEqual(["checks", "atoms", "run", "work"]);
    expect(pageOf({ field: "max_iterations" }, "aot")).toBe("atoms");
    expect(pageOf({ field: "max_iterations" }, "loop_v2")).toBe("run");
    expect([topOf("base_case.0.2"), spotOf("base_case.0.2"), spotOf("goal")]).toEqual([
      "base_case",
      "1.3",
      "",
    ]);
    const said = (field: string, code: string) =>
      placedSentence({ field, code, args: { id: "A9" }, blocks: true }, ["A1", "design"]);
    expect(said("base_case.0.2", "unnamed")).toBe("Check 1.3: Give this check a name.");
    expect(said("atoms.1", "unknown_atom")).toBe("Atom design: It waits for A9, which doesn’t exist.");
    expect(said("deliverables", "blank")).toBe("Deliverables: Fill this in.");
  });

  it("is on a page that only its format has", () => {
    expect(pagesOf("aot")).toEqual(["work", "checks", "atoms", "run"]);
    expect(pagesOf("loop_v2")).toEqual(["work", "run"]);
  });
});

describe("a rubric", () => {
  const line = (criterion: string, weight: number | null): CriterionForm => ({
    criterion,
    description: "",
    weight,
    levels: ["", "", "", "", ""],
  });

  it("counts a line without a weight as the mean of the others", () => {
    expect(sharesOf([line("a", 0.4), line("b", 0.2), line("c", null)]).map(Math.round)).toEqual([44, 22, 33]);
    expect(sharesOf([line("a", null), line("b", null)])).toEqual([50, 50]);
    expect(sharesOf([line("a", 0)])).toEqual([0]);
  });

  it("needs a name for each line, and a weight that counts", () => {
    const { quality } = checkForm(null);
    const good = (rubric: CriterionForm[]) => goodQuality({ ...quality, rubric });
    expect(good([line("a", 0.4), line("b", null)])).toBe(true);
    expect(good([line("a", 0.4), line(" ", null)])).toBe(false);
    expect(good([line("a", 0), line("b", 0)])).toBe(false);
    expect(good([line("a", -1)])).toBe(false);
  });
});

describe("a coverage report that is tried", () => {
  const read = (more: Partial<Tried>): Tried => ({ ...triedNow(), code: null, lines: [], ...more });

  it.each<[Partial<Tried>, string, string]>([
    [{ end: "read", covered: 74.996 }, "Passes now.", "75.00% of the code is covered."],
    [{ end: "read", covered: 60.25, passes: false }, "Fails now.", "60.25% of the code is covered."],
    [
      { end: "stale", passes: null },
      "Unknown until it can be checked.",
      "The report is older than the work.",
    ],
    [
      { end: "no_report", passes: false },
      "Fails now.",
      "There is no coverage report that can be read, or it names no file of this folder.",
    ],
  ])("says what it says: %j", (more, says, facts) => {
    expect(triedWords(read(more), "coverage").says).toBe(says);
    expect(triedFacts(read(more))).toBe(facts);
  });
});

describe("a file check that is tried", () => {
  it("says what was found, and that nothing outside is looked at", async () => {
    const look = (kind: "file" | "not_file", command: string) =>
      sampleTried({ id: "1", folder: "/x", command, kind, results: [] });
    expect(triedFacts(await look("file", "dist/*"))).toBe("Files or folders found: 2.");
    expect(triedWords(await look("not_file", "dist/*"), "not_file").says).toBe("Fails now.");
    expect(triedWords(await look("file", "../x"), "file").says).toBe("Unknown until it can be checked.");
    expect(triedWords({ ...triedNow(), passes: null, end: "stopped" }, "command").says).toBe(
      "Stopped. No result.",
    );
  });
});
