import type { Role, Shape } from "../../components/shapes";
import type { AgentRow, Failure } from "../../host/bindings";
import { say, t } from "../../words/language.svelte";
import { failureText } from "../../words/phrases";

/** One thing that a first loop needs. */
export interface Check {
  readonly id: "agent" | "git" | "folders";
  readonly name: string;
  readonly state: "ok" | "open" | "unknown";
  readonly shape: Shape;
  readonly role: Role;
  readonly text: string;
  readonly why: string;
  readonly fixName: string;
  /** What to run, where the window cannot fix it. */
  readonly command?: string;
}

/** The branch of a folder; none where it is no repository. */
export interface Git {
  readonly folder: string;
  readonly branch: string | null;
}

type Said = Pick<Check, "state" | "text"> & { readonly command?: string };

const LOOKS: Readonly<Record<Check["state"], readonly [Shape, Role]>> = {
  ok: ["tick", "success"],
  open: ["ring", "attention"],
  unknown: ["gap", "neutral"],
};

function check(id: Check["id"], name: string, why: string, said: Said): Check {
  const [shape, role] = LOOKS[said.state];
  return {
    id,
    name,
    why,
    shape,
    role,
    fixName: say(t.units.labelled, { name: t.startChecks.fix, value: name }),
    ...said,
  };
}

const GIT_FIX = "git init";

/** The shell is always there, and does nothing unasked. */
function ofAgents(rows: readonly AgentRow[] | null, failure: Failure | null): Said {
  if (rows === null && failure) return { state: "unknown", text: failureText(failure) };
  if (rows === null) return { state: "unknown", text: t.agents.looking };
  const agents = rows.filter((row) => row.kind !== "shell");
  const usable = agents.filter((row) => row.readiness === "usable");
  if (usable.length > 0) {
    const names = usable.map((row) => row.name).join(t.units.listSeparator);
    return { state: "ok", text: say(t.startChecks.agentsFound, { names }) };
  }
  const out = agents.find((row) => row.signed_in === false && row.program !== null);
  if (out) return { state: "open", text: say(t.needSays.sign_in, { agent: out.name }) };
  const shell = rows.find((row) => row.kind === "shell" && row.readiness === "usable");
  if (shell) return { state: "open", text: say(t.startChecks.agentShell, { name: shell.name }) };
  return { state: "open", text: t.startChecks.agentNone };
}

/** The whole path of an open folder without loops may not be known to the page. */
function ofGit(git: Git | null, failure: Failure | null): Said {
  if (failure) return { state: "unknown", text: failureText(failure) };
  if (git === null) return { state: "unknown", text: t.startChecks.gitLater };
  const { folder, branch } = git;
  if (branch !== null) return { state: "ok", text: say(t.startChecks.gitFound, { branch, folder }) };
  return { state: "open", text: say(t.startChecks.gitNone, { folder }), command: GIT_FIX };
}

function ofFolders(count: number): Said {
  if (count === 0) return { state: "open", text: t.startChecks.foldersNone };
  return { state: "ok", text: say(t.startChecks.foldersFound, { count }) };
}

/** What is there, and what is not. */
export function checksOf(
  rows: readonly AgentRow[] | null,
  git: Git | null,
  folders: number,
  failures: { readonly agents?: Failure | null; readonly git?: Failure | null } = {},
): Check[] {
  const words = t.startChecks;
  return [
    check("agent", words.agent, words.agentWhy, ofAgents(rows, failures.agents ?? null)),
    check("git", words.git, words.gitWhy, ofGit(git, failures.git ?? null)),
    check("folders", words.folders, words.foldersWhy, ofFolders(folders)),
  ];
}
