import { cleanup, render, screen, waitFor } from "@testing-library/svelte";
import fc from "fast-check";
import { tick } from "svelte";
import { describe, expect, it } from "vitest";
import type {
  AgentRow,
  FolderFacts,
  FormProblem,
  LaunchNote,
  StartForm,
  StartReview,
} from "../src/host/bindings";
import { MemoryHost } from "../src/host/memory";
import { or, text, texts, word } from "./any-value";
import { wordsOf } from "./lists";
import StartStage from "./StartStage.svelte";

const count = fc.oneof(fc.nat(), fc.constantFrom(0, 1, 4294967295));
const levels = fc.uniqueArray(word("Level"));
const environment = fc.dictionary(text, text, { maxKeys: 3 });

const agent: fc.Arbitrary<AgentRow> = fc.record({
  id: fc.oneof(fc.constantFrom("claude", "codex", "shell"), text),
  tool: text,
  kind: word("AgentKind"),
  readiness: word("AgentReadiness"),
  untested: fc.boolean(),
  chosen: fc.boolean(),
  name: text,
  program: or(text),
  found: texts,
  looked: texts,
  version: or(text),
  state: word("AgentState"),
  signed_in: or(fc.boolean()),
  node: fc.constant(null),
  fix: or(text),
  levels,
  asks: fc.boolean(),
  reports_cost: fc.boolean(),
  reports_tokens: fc.boolean(),
  limits_turns: fc.boolean(),
  runs_commands: levels,
  skill: fc.boolean(),
  custom: or(fc.record({ look_only: or(texts), edit_files: or(texts) })),
});
const facts: fc.Arbitrary<FolderFacts> = fc.record({
  path: text,
  shown: text,
  exists: fc.boolean(),
  trusted: fc.boolean(),
  branch: or(text),
  uncommitted: or(count),
  tests: fc.array(fc.record({ command: text, results: texts, because: text }), { maxLength: 3 }),
  taken: fc.array(word("NewFormat")),
  live: fc.array(word("NewFormat")),
  running: count,
  plans: fc.constant([]),
  unread: fc.constant([]),
  as_root: fc.boolean(),
});
const check = fc.record({ kind: word("CheckKind"), value: text });
const form: fc.Arbitrary<StartForm> = fc.record({
  work: fc.record({
    recipe: word("Recipe"),
    format: or(word("NewFormat")),
    mode: or(word("WorkMode")),
    goal: text,
    title: text,
    max_iterations: or(count),
    tasks: fc.array(fc.record({ description: text, tool: text, mode: text }), { maxLength: 4 }),
    base_case: or(fc.record({ shape: fc.constant("single" as const), of: check })),
    aot: fc.record(
      {
        background_intent: text,
        in_scope: texts,
        atoms: fc.array(
          fc.record({ id: or(text), description: text, depends_on: texts, or_group: or(text) }),
          { maxLength: 4 },
        ),
        max_stall_count: or(count),
      },
      { requiredKeys: [] },
    ),
  }),
  folder: text,
  worktree: text,
  plan: fc.record(
    {
      agent: fc.oneof(fc.constantFrom("claude", "shell"), text),
      model: text,
      extra_args: texts,
      shell_command: text,
      level: or(word("Level")),
      driver: fc.oneof(
        fc.constant({ by: "loopdeck" as const }),
        fc.record({ by: fc.constant("skill" as const), command: text }),
      ),
      test_command: text,
      results: texts,
      minutes: or(count),
      money_usd: or(fc.double({ noNaN: true })),
    },
    { requiredKeys: [] },
  ),
  page: fc.nat(9),
});
const problem: fc.Arbitrary<FormProblem> = fc.record({
  field: fc.oneof(
    fc.constantFrom("goal", "folder", "agent", "level", "minutes", "base_case.0.1", "atoms.1", "replace"),
    text,
  ),
  code: fc.oneof(fc.constantFrom("blank", "reserved_flag", "not_trusted"), text),
  args: environment,
  blocks: fc.boolean(),
});
const review: fc.Arbitrary<StartReview> = fc.record({
  problems: fc.array(problem, { maxLength: 4 }),
  file: or(
    fc.record({ file: text, text, beside: fc.array(fc.record({ file: text, text }), { maxLength: 2 }) }),
  ),
  folder: text,
  argv: texts,
  prompt: text,
  environment,
  removed: texts,
  inherited: texts,
  notes: fc.array(fc.oneof(fc.constantFrom(...wordsOf("LaunchNote")), text) as fc.Arbitrary<LaunchNote>),
  runs: fc.boolean(),
});

/** As the lists of the host are: one of each id. */
const agentsOf = fc.uniqueArray(agent, { maxLength: 4, selector: ({ id }) => id });

describe("whatever the host says", () => {
  it("every page of the start form shows it without an error, and as text", async () => {
    await fc.assert(
      fc.asyncProperty(form, agentsOf, facts, review, async (draft, agents, folder, answer) => {
        const host = new MemoryHost();
        host.runs.agentRows = agents;
        host.runs.folderFacts = async () => folder;
        host.runs.reviewOf = () => answer;
        await host.runs.saveDraft(draft);
        const { container } = render(StartStage, { props: { host } });
        await screen.findByTestId("filled");
        const buttons = screen
          .getByTestId("start-view")
          .querySelectorAll<HTMLElement>("[data-testid^=page-]");
        const pages = [...buttons].map((button) => button.dataset.testid?.slice("page-".length));
        for (const page of pages) {
          screen.getByTestId(`page-${page}`).click();
          await waitFor(() => expect(screen.getByTestId("start-page").dataset.page).toBe(page));
          await tick();
          expect(container.querySelector("script")).toBeNull();
          expect(container.textContent).not.toMatch(/\bundefined\b|\bNaN\b|\[object/);
        }
        cleanup();
      }),
      { numRuns: 40 },
    );
  });
});
