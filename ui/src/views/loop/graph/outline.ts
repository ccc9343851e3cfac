import type { WorkModel, WorkNode } from "./model";

/** One line of the outline. */
export interface OutlineRow {
  readonly node: WorkNode;
  readonly level: number;
  /** Nothing for what has no children. */
  readonly expanded: boolean | null;
  /** Its place among its neighbours, from 1. */
  readonly place: number;
  readonly of: number;
  /** Only here because of what is below it. */
  readonly context: boolean;
}

/** Levels beyond this are not pushed further out of the window. */
export const DEEPEST = 8;

/** The tree as lines. With a filter, what is shown keeps what it is part of, and closed containers are looked into. */
export function outlineOf(
  model: WorkModel,
  closed: ReadonlySet<string>,
  shows: ((node: WorkNode) => boolean) | null,
): OutlineRow[] {
  const wanted = shows ? keptBy(model, shows) : null;
  const rows: OutlineRow[] = [];
  const stack: { node: WorkNode; level: number; place: number; of: number }[] = [];
  const push = (nodes: readonly WorkNode[], level: number) => {
    const kept = wanted ? nodes.filter(({ id }) => wanted.has(id)) : nodes;
    for (let at = kept.length - 1; at >= 0; at -= 1) {
      stack.push({ node: kept[at] as WorkNode, level, place: at + 1, of: kept.length });
    }
  };
  push(
    model.nodes.filter((node) => node.parent === null),
    1,
  );
  const listed = new Set<string>();
  for (let next = stack.pop(); next; next = stack.pop()) {
    const { node, level } = next;
    if (listed.has(node.id)) continue;
    listed.add(node.id);
    const children = node.children.flatMap((id) => model.byId.get(id) ?? []);
    const inner = wanted ? children.filter(({ id }) => wanted.has(id)) : children;
    const expanded = inner.length === 0 ? null : wanted !== null || !closed.has(node.id);
    rows.push({ ...next, expanded, context: shows !== null && !shows(node) });
    if (expanded) push(inner, level + 1);
  }
  return rows;
}

function keptBy(model: WorkModel, shows: (node: WorkNode) => boolean): Set<string> {
  const kept = new Set<string>();
  for (const node of model.nodes) {
    if (!shows(node)) continue;
    let at: WorkNode | undefined = node;
    while (at && !kept.has(at.id)) {
      kept.add(at.id);
      at = at.parent === null ? undefined : model.byId.get(at.parent);
    }
  }
  return kept;
}
