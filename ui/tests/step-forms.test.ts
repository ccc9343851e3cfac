import { describe, expect, it } from "vitest";
import {
  LOOP_B_FORMS,
  LOOP_V2_FORMS,
  type AotChange,
  type LoopChange,
  type LoopDetail,
} from "../src/host/bindings";
import { sampleHost, keyOf } from "./mount";
import type { FormId, FormStart } from "../src/state/dialog";
import { t } from "../src/words/language.svelte";
import { baseCaseOf, checkForm, goodChecks } from "../src/views/steps/checks";
import { develop, merge, validate } from "../src/views/steps/ccw";
import { debug } from "../src/views/steps/debug";
import { distinctLines } from "../src/views/steps/form";
import { goodPlan, nextPlanned } from "../src/views/steps/planned";
import { emptyAtom, NEW_GROUP, redirect } from "../src/views/steps/redirect";
import { FORMS } from "../src/views/steps/registry";
import { editTask } from "../src/views/steps/task";
import { wordsOf } from "./lists";

async function detailOf(title: string): Promise<LoopDetail> {
  const host = sampleHost();
  return (await host.openLoop(keyOf(host, title))).detail;
}

function stepOf(change: LoopChange) {
  if (change.kind !== "operate") throw new Error(change.kind);
  return change.operation.step;
}

function redirected(change: LoopChange): AotChange {
  const step = stepOf(change);
  if (step.op !== "redirect") throw new Error(step.op);
  return step.change;
}

describe("every step of the core", () => {
  it("has a form", () => {
    const forms = Object.keys(FORMS);
    const missing = wordsOf("StepCode").filter((code) => code !== "edit_tasks" && !forms.includes(code));
    expect(missing).toEqual([]);
  });
});

describe("a redirect", () => {
  it("sends only those texts of the objective that differ", async () => {
    const form = redirect.begin(await detailOf("Checkout"), {});
    expect(form.texts.goal).toContain("Sign in with an email");
    expect(redirect.missing(form)).toEqual([t.steps.aChange, t.redirect.description]);
    form.texts.goal = "Sign in with a passkey ";
    form.description = "Passwords are gone";
    expect(redirect.missing(form)).toEqual([]);
    expect(redirected(redirect.change(form))).toEqual({
      what: "objective",
      goal: "Sign in with a passkey",
      background_intent: null,
      deliverables: null,
      definition_of_done: null,
      base_case: null,
    });
    form.texts.goal = "";
    expect(redirect.missing(form)).toContain(t.fact.goal);
  });

  it("sends only those limits that differ, and none below 1", async () => {
    const form = redirect.begin(await detailOf("Checkout"), { what: "constraints" });
    form.description = "More time";
    form.limits.max_iterations = 0;
    expect(redirect.missing(form)).toEqual([t.fact.max_iterations]);
    form.limits.max_iterations = 30;
    expect(redirected(redirect.change(form))).toEqual({
      what: "constraints",
      max_iterations: 30,
      max_parallel_agents: null,
      max_stall_count: null,
    });
  });

  it("keeps every part while another one is chosen", async () => {
    const form = redirect.begin(await detailOf("Checkout"), {});
    form.texts.goal = "Other";
    form.what = "add_atom";
    form.atom = { ...emptyAtom(), description: "Log out", group: NEW_GROUP };
    expect(redirect.missing(form)).toContain(t.field.groupName);
    form.atom.groupName = "logout";
    expect(redirected(redirect.change(form))).toEqual({
      what: "add_atom",
      id: null,
      description: "Log out",
      depends_on: [],
      or_group: "logout",
    });
    form.what = "objective";
    expect(redirected(redirect.change(form))).toMatchObject({ goal: "Other" });
  });

  it("of a branch gives its reason to the trail and to the correction", async () => {
    const form = redirect.begin(await detailOf("Checkout"), {
      what: "force_selection",
      group: "token_method",
      id: "A4",
    });
    form.description = "Rotation is solved";
    expect(stepOf(redirect.change(form))).toEqual({
      op: "redirect",
      description: "Rotation is solved",
      change: { what: "force_selection", group: "token_method", id: "A4", reason: "Rotation is solved" },
    });
  });
});

describe("an edited atom", () => {
  it("sends only what differs, and what it waits for in any order is the same", async () => {
    const form = redirect.begin(await detailOf("Checkout"), { id: "A5", what: "edit_atom" });
    form.description = "Too broad";
    const before = [...form.edit.depends_on];
    expect(before.length).toBeGreaterThan(0);
    expect(redirect.missing(form)).toEqual([t.steps.aChange]);
    expect(redirect.preview?.(form)).toBeNull();
    form.edit.description += " without a password ";
    form.edit.depends_on.reverse();
    expect(redirect.missing(form)).toEqual([]);
    const description = form.edit.description.trim();
    expect(redirected(redirect.change(form))).toEqual({
      what: "edit_atom",
      id: "A5",
      description,
      depends_on: null,
    });
    form.edit.depends_on = [];
    expect(redirect.preview?.(form)).toMatchObject({ description, depends_on: [] });
    form.edit.description = "  ";
    expect(redirect.missing(form)).toContain(t.field.description);
  });

  it("is added after another one", async () => {
    const form = redirect.begin(await detailOf("Checkout"), { id: "A5", what: "add_atom" });
    expect(form.atom.depends_on).toEqual(["A5"]);
  });

  it("is previewed before there is a reason", async () => {
    const form = redirect.begin(await detailOf("Checkout"), { id: "A4", group: "token_method" });
    form.what = "force_selection";
    const first = redirect.preview?.(form);
    form.description = "Keys rotate now";
    expect(first).toMatchObject({ what: "force_selection", id: "A4" });
    expect(redirect.preview?.(form)).toEqual(first);
  });
});

describe("the completion checks", () => {
  it("come back as they stand, those by score too", async () => {
    const { present_checks } = await detailOf("Checkout");
    const form = redirect.begin(await detailOf("Checkout"), {}).checks;
    expect(form.lost).toBe(0);
    expect(goodChecks(form)).toBe(true);
    expect(baseCaseOf(form)).toEqual(present_checks?.base_case);
    form.items[2]!.quality.threshold = 4.5;
    expect(baseCaseOf(form)).toMatchObject({ of: [{}, {}, { part: { of: { pass_threshold: 450 } } }] });
  });

  it("by score need a text and a score that not every work reaches", () => {
    const form = checkForm(null);
    form.shape = "quality";
    expect(goodChecks(form)).toBe(false);
    form.quality.criteria = " Easy to read ";
    expect(goodChecks(form)).toBe(true);
    for (const threshold of [null, 1, 5.01]) {
      form.quality.threshold = threshold;
      expect(goodChecks(form)).toBe(false);
    }
    form.quality.threshold = 4.35;
    expect(baseCaseOf(form)).toEqual({
      shape: "quality",
      of: { criteria: { shape: "text", of: "Easy to read" }, pass_threshold: 435, scope: null },
    });
  });

  it("begin with one empty item where none can be taken up", () => {
    const form = checkForm({ shape: "checklist", of: [] }, 2);
    expect([form.shape, form.items.length, form.lost, goodChecks(form)]).toEqual(["checklist", 1, 2, false]);
  });
});

describe("a decomposition", () => {
  it("needs a description for each child, and ids that differ", async () => {
    const form = redirect.begin(await detailOf("Checkout"), { id: "A5", what: "decompose" });
    form.description = "Two parts";
    form.split.children = [
      { ...emptyAtom(), id: "A9", description: "Form" },
      { ...emptyAtom(), id: "A9", description: "Handler", depends_on: ["A9"] },
    ];
    expect(redirect.missing(form)).toEqual([t.steps.twice]);
    form.split.children[1]!.id = "";
    expect(redirect.missing(form)).toEqual([]);
    expect(redirected(redirect.change(form))).toEqual({
      what: "decompose",
      parent: "A5",
      reason: "Two parts",
      children: [
        { id: "A9", description: "Form", depends_on: [], or_group: null },
        { id: null, description: "Handler", depends_on: ["A9"], or_group: null },
      ],
    });
  });
});

describe("recorded steps", () => {
  it("begin with a task that is not done", async () => {
    const form = develop.begin(await detailOf("Implement user"), {});
    expect(form.task).toBe("task-002");
    form.summary = "Done";
    form.files = "a.ts\n\n b.ts \na.ts";
    expect(stepOf(develop.change(form))).toEqual({
      op: "develop",
      task_id: "task-002",
      summary: "Done",
      files_changed: ["a.ts", "b.ts"],
      failure: null,
    });
    form.failed = true;
    expect(develop.missing(form)).toEqual([t.field.why]);
  });

  it("send only those hypotheses that are new or differ", async () => {
    const form = debug.begin(await detailOf("Implement user"), {});
    form.understanding = "The key lacks the tenant";
    expect(stepOf(debug.change(form))).toMatchObject({ hypotheses: [], confirmed: "H2" });
    form.hypotheses[2]!.status = "rejected";
    form.hypotheses[2]!.verdict_reason = "TTL counts down";
    const step = stepOf(debug.change(form));
    expect(step).toMatchObject({
      hypotheses: [{ id: "H3", status: "rejected", verdict_reason: "TTL counts down" }],
    });
  });

  it("count the tests of a run", async () => {
    const form = validate.begin(await detailOf("Implement user"), {});
    expect(validate.missing(form)).toEqual([t.fact.passed]);
    Object.assign(form, { passed: 41, failed: 2, skipped: 1, coverage: 101, seconds: 1.5 });
    expect(validate.missing(form)).toEqual([t.field.coverage]);
    form.coverage = 85;
    form.names = "a › b\nc";
    expect(stepOf(validate.change(form))).toEqual({
      op: "tested",
      passed: 41,
      failed: 2,
      skipped: 1,
      failed_names: ["a › b", "c"],
      seconds: 1.5,
      coverage: 85,
    });
  });

  it("merge what the workers have said already", async () => {
    const form = merge.begin(await detailOf("Dark mode"), {});
    expect(form.outputs.map((output) => output.action)).toEqual(["develop", "debug"]);
    expect(merge.missing(form)).toEqual([]);
  });

  it("number planned tasks as the format does, past those that are taken", () => {
    const first = nextPlanned([], LOOP_V2_FORMS.task_id);
    expect(first.id).toBe("task-001");
    expect(goodPlan([first])).toBe(false);
    const taken = { ...first, id: "T2", description: "x" };
    expect(nextPlanned([taken], LOOP_B_FORMS.task_id).id).toBe("T3");
    expect(goodPlan([taken, taken])).toBe(false);
  });

  it("read one entry per line", () => {
    expect(distinctLines(" a\n\nb \n a ")).toEqual(["a", "b"]);
  });
});

describe("a listed task", () => {
  it("is edited with all of its fields", async () => {
    const detail = await detailOf("Implement user");
    const form = editTask.begin(detail, { id: detail.task_list[0]!.id });
    form.onError = "";
    expect(editTask.change(form)).toEqual({
      kind: "edit_tasks",
      edit: {
        edit: "edit",
        id: detail.task_list[0]!.id,
        task: {
          description: "Review the token tests",
          tool: "codex",
          mode: "review",
          prompt_template: "Read the tests and name gaps.",
          command: null,
          on_error: null,
        },
      },
    });
  });
});

describe("every form", () => {
  const STARTS: readonly FormStart[] = [{}, { id: "nobody", group: "none" }];
  it.each(Object.keys(FORMS) as FormId[])("%s begins on a loop that says nothing", async (id) => {
    const host = sampleHost();
    const row = host.rows().find((one) => one.format === "legacy" || one.format === "v1")!;
    const { detail } = await host.openLoop(row.key);
    for (const start of STARTS) {
      const { model } = FORMS[id];
      const form = model.begin(detail, start);
      expect(Array.isArray(model.missing(form))).toBe(true);
      model.change(form);
    }
  });
});
