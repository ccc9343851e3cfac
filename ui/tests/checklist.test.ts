import { describe, expect, it } from "vitest";
import type { ChecklistRow, ItemKind } from "../src/host/bindings";
import { sampleDetail } from "../src/host/sample-details";
import { checklistMarkdown, means, treeOf } from "../src/views/loop/overview/checklist";
import { keyOf, sampleHost } from "./mount";

const host = sampleHost();
const row = host.rows().find((one) => one.key === keyOf(host, "Checkout"))!;
const checkout = sampleDetail(row);

describe("the checklist", () => {
  const check = (depth: number, item: string, kind: ItemKind = "check"): ChecklistRow => ({
    depth,
    item,
    kind,
    check_type: kind === "check" ? "command" : null,
    type_word: null,
    value: null,
    pass_threshold: null,
    scope: null,
    rubric: [],
    result: "none",
    evidence: [],
  });
  const total = checkout.checklist_total!;

  it("is a tree, also when depths jump", () => {
    const tree = treeOf([check(0, "a", "group"), check(3, "b"), check(1, "c"), check(0, "d")]);
    expect(tree.map((node) => node.row.item)).toEqual(["a", "d"]);
    expect(tree[0]!.below.map((node) => node.row.item)).toEqual(["b", "c"]);
  });

  it.each([
    [{ check_type: "command" }, "this command succeeds"],
    [{ check_type: "other", type_word: "moon" }, "unknown kind of check: moon"],
    [{ check_type: "quality", pass_threshold: 3.5 }, "the score is at least 3.5"],
    [{ check_type: "quality" }, "a score whose threshold is missing"],
    [{ kind: "any_of", check_type: null }, "any of these passes"],
    [{ kind: "nothing", check_type: null }, "unknown kind of check: "],
  ] as const)("says when %j passes", (patch, words) => {
    expect(means({ ...check(0, "a"), ...patch })).toBe(words);
  });

  it("is a list to paste", () => {
    const text = checklistMarkdown(checkout.checklist, total);
    expect(text).toContain("Checks: 5");
    expect(text).toContain("- **Tests** · all of these");
    expect(text).toContain(
      "  - [ ] **No debug output left** · this command fails · `grep -r console.log src`",
    );
    expect(text).toContain("Naming · 60% of the score");
    expect(text).toContain("4 of 5");
    expect(text).toContain("(1: Hard to read, 5: Reads like prose)");
    expect(checklistMarkdown([{ ...check(0, "a"), result: "pass" }], total)).toContain("- [x] **a**");
    const evidence = [{ kind: "summary" as const, name: "A1", text: "It is green." }];
    expect(checklistMarkdown([{ ...check(0, "a"), evidence }], total)).toContain("A1 says: “It is green.”");
  });
});
