import type { AtomState, AtomView, LoopDetail } from "./bindings";

const DOING = ["Read", "Write", "Check", "Move", "Measure", "Replace", "Describe", "Remove"];
const WHAT = [
  "the session store",
  "price rules",
  "the migration of old orders",
  "retry limits",
  "the export of invoices",
];
/** So many units share a container. */
const FAMILY = 6;
const WIDTH = 9;

const STATUS: Readonly<Partial<Record<AtomState, string>>> = {
  resolved: "resolved",
  in_progress: "in_progress",
};

/** A work graph as large as wanted: layers of families, some alternatives, the first part done. */
export function manyAtoms(count: number): Partial<LoopDetail> {
  const atoms: AtomView[] = [];
  const decompositions: LoopDetail["decompositions"] = [];
  const done = Math.floor(count * 0.6);
  const stateAt = (index: number): AtomState =>
    index < done ? "resolved" : index < done + 3 ? "in_progress" : index < done + 8 ? "ready" : "blocked";
  const add = (id: string, needs: readonly string[], more: Partial<AtomView>): AtomView => {
    const index = atoms.length;
    const state = more.state ?? stateAt(index);
    const known = new Map(
      needs.map((need) => [need, atoms.find((atom) => atom.id === need)?.state === "resolved"]),
    );
    const atom: AtomView = {
      id,
      description: `${DOING[index % DOING.length]} ${WHAT[index % WHAT.length]}, part ${index + 1}`,
      status: STATUS[state] ?? "pending",
      state,
      depends_on: needs.map((need) => ({
        id: need,
        known: true,
        satisfied: known.get(need) ?? false,
        status: known.get(need) ? "resolved" : "pending",
      })),
      blocked_by:
        state === "blocked"
          ? needs.filter((need) => !known.get(need)).map((name) => ({ kind: "waits_for", name }))
          : [],
      on_critical_path: index % WIDTH === 0 && state !== "resolved",
      ready_to_resolve: false,
      or_group: null,
      parent: null,
      children: [],
      summary: state === "resolved" ? "Done and tested." : null,
      summary_cut: false,
      artifacts:
        state === "resolved" && index % 3 === 0 ? ["src/orders/rules.ts", "tests/orders.test.ts"] : [],
      has_result: state === "resolved",
      line: 30 + index * 6,
      ...more,
    };
    atoms.push(atom);
    return atom;
  };
  let above: string[] = [];
  for (let layer = 0; atoms.length < count; layer += 1) {
    const here: string[] = [];
    for (let at = 0; at < WIDTH && atoms.length < count; at += 1) {
      const needs =
        above.length === 0 ? [] : [above[at % above.length]!, above[(at * 2 + 1) % above.length]!];
      const unique = [...new Set(needs)];
      const id = `N${layer + 1}_${at + 1}`;
      here.push(id);
      if (at !== 3 || atoms.length + FAMILY + 1 > count) {
        add(id, unique, {});
        continue;
      }
      const parent = add(id, unique, { state: "container", status: "pending" });
      const children: string[] = [];
      for (let child = 0; child < FAMILY; child += 1) {
        const one = `${id}_${child + 1}`;
        const own = child === 0 ? unique : [children[child - 1]!];
        children.push(one);
        if (child !== 2) {
          add(one, own, { parent: id });
          continue;
        }
        const inner = add(one, own, { parent: id, state: "container", status: "pending" });
        inner.children = ["a", "b"].map((part) => add(`${one}${part}`, own, { parent: one }).id);
        const reason = "two languages";
        decompositions.push({ parent: one, children: inner.children, done: 0, total: 2, reason, time: null });
      }
      parent.children = children;
      const finished = children.filter((one) => atoms.find((atom) => atom.id === one)?.state === "resolved");
      decompositions.push({
        parent: id,
        children,
        done: finished.length,
        total: children.length,
        reason: "too much for one round",
        time: null,
      });
    }
    above = here;
  }
  const critical = atoms.filter((atom) => atom.on_critical_path).map((atom) => atom.id);
  const ready = atoms.filter((atom) => atom.state === "ready").map((atom) => atom.id);
  return {
    atoms,
    decompositions,
    or_groups: [],
    trail: [],
    critical_path: critical,
    batch: ready.slice(0, 3),
    problems: [],
  };
}

/** What a graph must survive: more siblings than fit, a circle, an id that does not exist. */
export function knottedAtoms(): Partial<LoopDetail> {
  const { atoms: [first] = [] } = manyAtoms(1);
  const atom = (id: string, description: string, needs: readonly string[], state: AtomState): AtomView => ({
    ...first!,
    id,
    description,
    state,
    status: STATUS[state] ?? "pending",
    summary: null,
    artifacts: [],
    has_result: false,
    on_critical_path: false,
    depends_on: needs.map((need) => ({
      id: need,
      known: need !== "A77",
      satisfied: need === "A1",
      status: need === "A1" ? "resolved" : "pending",
    })),
  });
  const states: AtomState[] = ["resolved", "in_progress", "ready", "blocked"];
  const siblings = Array.from({ length: 11 }, (_, at) =>
    atom(`P${at + 1}`, `${DOING[at % DOING.length]} ${WHAT[at % WHAT.length]}`, ["A1"], states[at % 4]!),
  );
  const atoms = [
    atom("A1", "Read the orders that are there", [], "resolved"),
    ...siblings,
    atom("A2", "Join all parts into one report", ["P1", "P4", "P9", "A4"], "blocked"),
    atom("A3", "Check the report against the ledger", ["A2", "A77"], "blocked"),
    atom("A4", "Correct what the check finds", ["A3"], "blocked"),
    atom("A5", "Publish the report", ["A3"], "blocked"),
  ];
  return { atoms, decompositions: [], or_groups: [], trail: [], critical_path: [], batch: [], problems: [] };
}
