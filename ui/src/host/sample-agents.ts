import type { AgentRow, CustomAgentForm, Level } from "./bindings";

const LEVELS: Level[] = ["look_only", "edit_files", "full_access"];

/** Places that are looked at, as on a Linux computer. */
const LOOKED = [
  "/usr/local/bin",
  "/usr/bin",
  "/bin",
  "~/.local/bin",
  "~/.claude/local",
  "~/.npm-global/bin",
  "~/.bun/bin",
  "~/.volta/bin",
  "~/.local/share/pnpm",
  "~/.asdf/shims",
  "~/.local/share/mise/shims",
  "/home/linuxbrew/.linuxbrew/bin",
];

function agentRow(id: string, name: string, more: Partial<AgentRow>): AgentRow {
  return {
    id,
    tool: id === "shell" ? "bash" : id,
    kind: "built_in",
    readiness: "usable",
    untested: false,
    chosen: false,
    name,
    program: null,
    found: [],
    looked: LOOKED,
    version: null,
    state: "ready",
    signed_in: null,
    fix: null,
    levels: LEVELS,
    asks: false,
    reports_cost: false,
    reports_tokens: true,
    limits_turns: false,
    runs_commands: ["full_access"],
    skill: false,
    custom: null,
    node: null,
    ...more,
  };
}

const REVIEWER: CustomAgentForm = {
  id: "reviewer",
  name: "House reviewer",
  program: "house-review",
  args: ["--model", "{model}", "--dir", "{dir}"],
  prompt_in_file: false,
  output: "text",
  look_only: ["--read-only"],
  edit_files: ["--apply"],
  full_access: null,
  resume: [],
  version: ["--version"],
  environment: { HOUSE_COLOR: "never" },
};

/** The row that the doctor makes of a person's own agent. */
export function ownAgentRow(form: CustomAgentForm): AgentRow {
  const given = [form.look_only, form.edit_files, form.full_access];
  const levels = LEVELS.filter((_, index) => (given[index] ?? null) !== null);
  const program = `~/bin/${form.program}`;
  return agentRow(`custom:${form.id}`, form.name ?? "", {
    kind: "custom",
    untested: true,
    program,
    found: [program],
    looked: LOOKED.slice(0, 4),
    levels,
    runs_commands: levels,
    reports_tokens: form.output !== "text",
    custom: form,
  });
}

/** The state of an agent after its program was chosen, or after a choice no longer holds. */
export function searchedPlaces(row: AgentRow, chosen: string | null): Partial<AgentRow> {
  if (chosen !== null) {
    return {
      program: chosen,
      found: [chosen],
      looked: [chosen.replace(/\/[^/]*$/, "")],
      chosen: row.kind === "built_in",
      state: "ready",
      readiness: row.signed_in === false ? "signed_out" : "usable",
    };
  }
  const {
    program = null,
    found = [],
    looked = LOOKED,
  } = sampleAgents().find((one) => one.id === row.id) ?? {};
  return { program, found, looked, chosen: false };
}

/** One agent in each state that a person meets. */
export function sampleAgents(): AgentRow[] {
  return [
    agentRow("claude", "Claude Code", {
      program: "~/.local/bin/claude",
      found: ["~/.local/bin/claude", "~/.npm-global/bin/claude"],
      version: "2.1.328",
      signed_in: true,
      asks: true,
      reports_cost: true,
      limits_turns: true,
      runs_commands: ["full_access"],
      skill: true,
    }),
    agentRow("codex", "Codex", {
      program: "~/.npm-global/bin/codex",
      found: ["~/.npm-global/bin/codex"],
      version: "0.171.2",
      state: "newer",
      signed_in: false,
      readiness: "signed_out",
      fix: "codex login",
      runs_commands: ["edit_files", "full_access"],
    }),
    agentRow("gemini", "Gemini CLI", {
      program: "/usr/local/bin/gemini",
      found: ["/usr/local/bin/gemini"],
      version: "0.9.0",
      state: "too_old",
      readiness: "unusable",
      signed_in: true,
      fix: "npm install -g @google/gemini-cli@latest",
    }),
    agentRow("qwen", "Qwen Code", {
      state: "missing",
      readiness: "unusable",
      fix: "npm install -g @qwen-code/qwen-code",
    }),
    agentRow("shell", "Shell", {
      kind: "shell",
      untested: true,
      program: "/bin/sh",
      found: ["/bin/sh"],
      looked: ["/bin"],
      levels: ["full_access"],
      reports_tokens: false,
    }),
    { ...ownAgentRow(REVIEWER), version: "house-review 3.2" },
  ];
}
