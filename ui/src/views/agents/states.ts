import type { Role, Shape } from "../../components/shapes";
import type { AgentRow, AgentState } from "../../host/bindings";
import { say, t } from "../../words/language.svelte";
import { usable } from "../start/form";

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

/** How an agent stands: a program that is there and not signed in is as good as none. */
export function stateOf(row: AgentRow): Shown {
  if (usable(row) && row.signed_in === false) {
    return {
      shape: "speech",
      role: "attention",
      word: t.agents.signedOut,
      text: t.agents.signedOutText,
    };
  }
  const [shape, role] = SHAPES[row.state];
  // Nothing was tested with a person's own agent, nor with what has no version.
  const untested = row.state === "ready" && (row.custom !== null || row.version === null);
  const text = untested ? "" : own(row) || t.agentStateText[row.state];
  return { shape, role, word: t.agentState[row.state], text };
}

/** What helps with a person's own agent: nobody else knows how it is installed. */
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

/** Only a program that was named with its folder is looked for in a single place. */
export function mayUseFound(row: AgentRow): boolean {
  return row.id !== "shell" && row.custom === null && row.looked.length < 2;
}
