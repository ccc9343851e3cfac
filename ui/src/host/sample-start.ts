import {
  START_FORM,
  type CheckItem,
  type FolderFacts,
  type FormProblem,
  type FormTry,
  type LaunchNote,
  type Level,
  type LoopRow,
  type StartForm,
  type StartReview,
  type Tried,
} from "./bindings";

/*
 * Just enough of agents, folders and the form's rules to make the in-memory host answer like the real one. The real ones
 * live behind the shell.
 */

export function sampleFolders(): [string, FolderFacts][] {
  const facts = (name: string, more: Partial<FolderFacts>): [string, FolderFacts] => [
    `/home/ana/code/${name}`,
    {
      path: `/home/ana/code/${name}`,
      shown: `~/code/${name}`,
      exists: true,
      trusted: true,
      branch: "main",
      uncommitted: 0,
      tests: [],
      taken: [],
      live: [],
      running: 0,
      plans: [],
      unread: [{ name: "Kiro", file: ".kiro/specs", advice: "elsewhere" }],
      as_root: false,
      ...more,
    },
  ];
  return [
    facts("storefront", {
      uncommitted: 3,
      running: 2,
      tests: [
        {
          command: "npx vitest run --reporter=junit --outputFile=.workflow/test-results/vitest.xml",
          results: [".workflow/test-results/vitest.xml"],
          because: "vitest.config.ts",
        },
        { command: "npm test", results: [], because: "package.json" },
      ],
    }),
    facts("billing-core", {
      trusted: false,
      uncommitted: null,
      branch: "release/2026-11",
      taken: ["aot"],
      tests: [
        {
          command: "cargo nextest run",
          results: ["target/nextest/default/junit.xml"],
          because: "Cargo.toml",
        },
      ],
    }),
    facts("docs-site", { branch: null, uncommitted: null }),
  ];
}

function problem(field: string, code: string, blocks = true): FormProblem {
  return { field, code, args: {}, blocks };
}

const MODES = ["parallel", "interactive"] as const;

/** What the form like a loop says of its work, as far as its row has it. */
export function workLike(row: LoopRow | undefined): Partial<StartForm["work"]> {
  if (row?.format === "aot") return { recipe: "checklist" };
  return {
    format: row?.format === "loop_b" ? "loop_b" : null,
    mode: MODES.find((mode) => mode === row?.mode?.toLowerCase()) ?? null,
  };
}

/** A little of the gate of an AoT loop. */
function gateOf({ work }: StartForm): FormProblem[] {
  const { aot = {}, base_case } = work;
  const texts = ["background_intent", "deliverables", "definition_of_done"] as const;
  const found = texts.filter((field) => !aot[field]?.trim()).map((field) => problem(field, "blank"));
  if (base_case?.shape === "single" && base_case.of.value === "") found.push(problem("base_case", "blank"));
  if (base_case?.shape === "checklist") found.push(...checksOf(base_case.of, "base_case"));
  (aot.atoms ?? []).forEach(({ description }, index) => {
    if (description === "") found.push(problem(`atoms.${index}`, "blank"));
  });
  return found;
}

function checksOf(items: readonly CheckItem[], path: string): FormProblem[] {
  return items.flatMap(({ item, part }, index) => {
    const field = `${path}.${index}`;
    const unnamed = item === "" ? [problem(field, "unnamed")] : [];
    if (part.part === "check" && part.of.value === "") return [...unnamed, problem(field, "blank")];
    return part.part === "group" || part.part === "any_of"
      ? [...unnamed, ...checksOf(part.of, field)]
      : unnamed;
  });
}

function problemsOf(form: StartForm, trusted: boolean, hasAot: boolean): FormProblem[] {
  const { plan, work } = form;
  const aot = (work.format ?? (work.recipe === "checklist" ? "aot" : "loop_v2")) === "aot";
  const found: FormProblem[] = [];
  if (work.goal.trim() === "") found.push(problem("goal", "blank"));
  if (form.folder === "") found.push(problem("folder", "blank"));
  if (/[ ~^:]/.test(form.worktree)) found.push(problem("worktree", "bad_branch"));
  if (aot) {
    found.push(...gateOf(form));
    if (hasAot && form.worktree === "") {
      found.push(problem("replace", form.replace ? "aot_replaced" : "aot_exists", !form.replace));
    }
  }
  if (!START_FORM.runs[aot ? "aot" : "loop_v2"]) return found;
  if (form.folder !== "" && !trusted) found.push(problem("folder", "not_trusted"));
  if (!plan.agent) found.push(problem("agent", "blank"));
  else if (plan.agent === "shell") {
    if (!plan.shell_command?.trim()) found.push(problem("shell_command", "blank"));
  } else if (!plan.level) found.push(problem("level", "blank"));
  if (plan.extra_args?.some((one) => one.startsWith("--output-format"))) {
    const reason = `reserved_flag ${plan.extra_args.join(", ")}`;
    found.push({ field: "extra_args", code: "reserved_flag", args: { reason }, blocks: true });
  }
  if (aot && plan.driver?.by === "skill") {
    found.push(problem("driver", "plugin_allows_tools", false));
    if (plan.agent !== "claude" && !plan.driver.command.trim()) {
      found.push(problem("driver", "plugin_needs_claude"));
    }
    if (plan.clean) found.push(problem("clean", "no_plugin_when_clean"));
  }
  if (!plan.test_command) found.push(problem("test_command", "blank", false));
  if (plan.level === "full_access" && form.worktree === "") {
    found.push(problem("level", "worktree_suggested", false));
  }
  if (plan.level === "look_only") found.push(problem("level", "cannot_change", false));
  if (plan.level === "edit_files" && plan.agent !== "codex" && !plan.agent?.startsWith("custom:")) {
    found.push(
      problem("level", plan.driver?.by === "skill" ? "no_tests_for_skill" : "no_tests_at_level", false),
    );
  }
  return found;
}

const PROMPT = (goal: string) =>
  [
    "You do one step of a loop that Loopdeck drives.",
    "",
    "# Goal",
    goal,
    "",
    "# This step",
    "INIT: read the code that matters and plan at most 8 tasks.",
    "",
    "# Answer",
    "End with one JSON block of this shape:",
    "```json",
    '{ "tasks": [{ "description": "…", "tool": "bash", "mode": "write", "priority": 1 }] }',
    "```",
  ].join("\n");

/** What Start would do with a form. */
export function sampleReview(form: StartForm, trusted: boolean, hasAot = false): StartReview {
  const problems = problemsOf(form, trusted, hasAot);
  const { plan, work } = form;
  const aot = (work.format ?? (work.recipe === "checklist" ? "aot" : "loop_v2")) === "aot";
  const id = "loop-v2-20261120T120000-0000abcd";
  const state = {
    loop_id: id,
    title: work.title || work.goal.split("\n")[0],
    description: work.goal,
    max_iterations: work.max_iterations ?? 10,
    status: "created",
    current_iteration: 0,
    created_at: "2026-11-20T20:00:00+08:00",
    updated_at: "2026-11-20T20:00:00+08:00",
  };
  const file = aot
    ? {
        file: ".claude/aot-loop-state.md",
        text: `---\ncontrol:\n  status: pending\n---\n\n# ${work.goal}\n`,
        beside: [],
      }
    : { file: `.workflow/.loop/${id}.json`, text: `${JSON.stringify(state, null, 2)}\n`, beside: [] };
  const shell = ["/bin/sh", "-c", plan.shell_command ?? ""];
  const claude = [
    `/usr/local/bin/${plan.agent}`,
    "-p",
    "--output-format",
    "stream-json",
    "--verbose",
    "--permission-mode",
    plan.level === "full_access" ? "bypassPermissions" : "acceptEdits",
    ...(plan.model ? ["--model", plan.model] : []),
    ...(plan.extra_args ?? []),
  ];
  const can = !aot && Boolean(plan.agent) && !problems.some(({ field }) => field === "agent");
  return {
    problems,
    file: work.goal.trim() === "" || (aot && !work.base_case) ? null : file,
    folder: form.folder,
    argv: can ? (plan.agent === "shell" ? shell : claude) : [],
    prompt: can ? PROMPT(work.goal) : "",
    environment: can ? { LOOPDECK_RUN_ID: "…", LOOPDECK_ACTION: "init" } : {},
    inherited: can ? ["HOME", "LANG", "PATH", "SHELL", "USER"] : [],
    removed: can ? ["CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT"] : [],
    notes: can ? notesOf(plan.agent ?? "", plan.level ?? null) : [],
    runs: !aot,
  };
}

function notesOf(agent: string, level: Level | null): LaunchNote[] {
  if (agent === "shell") return ["runs_as_you"];
  const full: LaunchNote[] = level === "full_access" ? ["not_confined"] : [];
  const edits = level === "edit_files";
  if (agent === "codex") {
    return [
      ...full,
      ...(edits ? (["commands_confined"] as const) : []),
      "inherits_config",
      "session_by_agent",
      "denials_not_reported",
    ];
  }
  return [...full, ...(edits ? (["no_commands"] as const) : []), "inherits_config"];
}

/** What comes of a command that is tried: after a moment, by what it says. */
export async function sampleTried(wanted: FormTry): Promise<Tried> {
  if (wanted.kind === "file" || wanted.kind === "not_file") return sampleLook(wanted);
  await new Promise((resolve) => setTimeout(resolve, wanted.command.includes("sleep") ? 3_600_000 : 900));
  const fails = /fail|false|exit 1|vitest/.test(wanted.command);
  const lines = fails
    ? [
        {
          text: "\u001b[31m FAIL \u001b[0m tests/session.test.ts > an expired token answers 401",
          error: false,
        },
        { text: "AssertionError: expected 500 to be 401", error: true },
        { text: "    at tests/session.test.ts:42:31", error: true },
      ]
    : [{ text: "> storefront@2.4.0 test", error: false }];
  const counts = fails ? { passed: 42, failed: 2, skipped: 0 } : { passed: 44, failed: 0, skipped: 0 };
  return {
    passes: fails === (wanted.kind === "not_command"),
    could_not_run: false,
    end: "exited",
    code: fails ? 1 : 0,
    took_ms: 2_340,
    lines,
    cut: false,
    tests: wanted.kind === "tests" && wanted.command !== "npm test" ? counts : null,
    unread: [],
    found: null,
    covered: null,
    left: null,
  };
}

/** What comes of a file check: a few names fit what begins with “dist”. */
function sampleLook({ command, kind }: FormTry): Tried {
  const names = command.startsWith("dist") ? ["dist/index.html", "dist/main.js"] : [];
  const outside = command.startsWith("..");
  return {
    passes: outside ? null : (names.length === 0) === (kind === "not_file"),
    could_not_run: false,
    end: outside ? "outside" : "looked",
    code: null,
    took_ms: 4,
    lines: names.map((text) => ({ text, error: false })),
    cut: false,
    tests: null,
    unread: [],
    found: outside ? null : names.length,
    covered: null,
    left: null,
  };
}
