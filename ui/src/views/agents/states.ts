import type { Role, Shape } from "../../components/shapes";
import type { AgentRow, AgentState } from "../../host/bindings";
import { say, t } from "../../words/language.svelte";
import { known } from "../../words/phrases";

const SHAPES: Readonly<Record<AgentState, readonly [Shape, Role]>> = {
  ready: ["tick", "success"],
  newer: ["tick-dot", "attention"],
  too_old: ["octagon", "danger"],
  missing: ["gap", "neutral"],
  broken: ["cross", "danger"],
  node_too_old: ["octagon", "danger"],
  node_missing: ["gap", "danger"],
};

export interface Shown {
  readonly shape: Shape;
  readonly role: Role;
  readonly word: string;
  readonly text: string;
}

/** The state of an agent: an installed program that is not signed in is as good as none. */
export function stateOf(row: AgentRow): Shown {
  if (row.readiness === "signed_out") {
    return {
      shape: "speech",
      role: "attention",
      word: t.agents.signedOut,
      text: t.agents.signedOutText,
    };
  }
  const [shape, role] = SHAPES[row.state];
  const text = row.untested ? "" : own(row) || (known(t.agentStateText, row.state) ?? "");
  return { shape, role, word: t.agentState[row.state], text };
}

/** What helps with a person's own agent: only they know how it is installed. */
function own(row: AgentRow): string {
  if (row.custom === null) return "";
  if (row.state === "missing") return say(t.agents.ownMissing, { program: row.custom.program ?? "" });
  return row.state === "broken" ? t.agents.ownBroken : "";
}

/** Both versions of Node.js, when the one that is there is not enough. */
export function nodeText(row: AgentRow): string {
  if (row.node === null) return "";
  const { needed, found } = row.node;
  return found === null ? say(t.agents.nodeNone, { needed }) : say(t.agents.nodeOld, { needed, found });
}

/** Its other places; the one that is used is not among them. */
export function othersOf(row: AgentRow): string[] {
  return row.found.filter((place) => place !== row.program);
}
