import type { AtomState, AtomView, Direction, DraftedLoop, DraftedWork, NewAtom } from "./bindings";
import { drawn } from "./sample-drawing";
import { blankDetail } from "./sample-empty";
import { withWork } from "./sample-units";

/** First atoms as the host shows them while they are typed: a plain stand-in for the core's. */
export function drafted(atoms: readonly NewAtom[], direction: Direction): DraftedWork {
  const known = new Set(atoms.map(({ id }) => id ?? ""));
  const seen = new Set<string>();
  const views = atoms.map((atom): AtomView => {
    const group = atom.or_group ?? "";
    const isLater = group !== "" && seen.has(group);
    seen.add(group);
    const state: AtomState = isLater ? "inactive" : atom.depends_on.length > 0 ? "blocked" : "ready";
    return {
      id: atom.id ?? "",
      description: atom.description,
      status: "pending",
      state,
      depends_on: atom.depends_on.map((id) => ({
        id,
        known: known.has(id),
        satisfied: false,
        status: known.has(id) ? "pending" : "",
      })),
      blocked_by: [],
      on_critical_path: false,
      ready_to_resolve: false,
      or_group: atom.or_group,
      parent: null,
      children: [],
      summary: null,
      summary_cut: false,
      artifacts: [],
      has_result: false,
      line: null,
    };
  });
  const detail = withWork({ ...blankDetail(), atoms: views });
  return { detail, drawing: drawn(detail, direction) };
}

/** What an agent drafts of any paragraph. */
export function sampleDraft(): DraftedLoop {
  return {
    goal: "Dates are parsed in one module only",
    base_case: {
      shape: "checklist",
      of: [
        { item: "Tests pass", part: { part: "check", of: { kind: "command", value: "npm test" } } },
        {
          item: "No other parser",
          part: {
            part: "check",
            of: { kind: "not_command", value: "grep -rn 'new Date(' src --include=*.ts" },
          },
        },
      ],
    },
    aot: {
      background_intent: "Time zones are handled differently in five places",
      deliverables: "src/dates.ts, and callers that use it",
      definition_of_done: "Every date goes through src/dates.ts",
      in_scope: ["src"],
      out_of_scope: ["the database"],
      atoms: [
        { id: "A1", description: "Find all places that parse dates", depends_on: [], or_group: null },
        { id: "A2", description: "Write src/dates.ts", depends_on: ["A1"], or_group: null },
        { id: "A3", description: "Move the callers", depends_on: ["A2"], or_group: null },
      ],
    },
  };
}
