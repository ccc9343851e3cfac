import type { Problem, ProblemCode } from "../../host/bindings";
import type { WorkModel } from "./model";

/** Problems of the work graph itself: ids, circles, dependencies, alternatives and containers. */
const CODES: ReadonlySet<ProblemCode> = new Set<ProblemCode>([
  "V5_bad_id",
  "V7_cycle",
  "V9_unknown_dependency",
  "V10_or_group",
  "V11_decomposition",
  "V12_child_dependency",
  "V16_orphaned_atom",
]);

/** What is wrong with the graph. Missing ids have notes of their own. */
export function graphProblems(problems: readonly Problem[], model: WorkModel): Problem[] {
  return problems.filter(
    ({ code, args }) =>
      CODES.has(code) && !(code === "V9_unknown_dependency" && model.missing.has(args.found ?? "")),
  );
}

/** The unit that a problem is about: one that it names, or the one that its line is in. */
export function unitOf(problem: Problem, model: WorkModel): string | null {
  for (const value of Object.values(problem.args)) {
    const named = value.split(/[^\p{L}\p{N}_.-]+/u).find((word) => model.byId.has(word));
    if (named !== undefined) return named;
  }
  const { line } = problem;
  if (line === null) return null;
  const before = model.nodes.filter((node) => node.line !== null && node.line <= line);
  return before.reduce<string | null>((best, node) => {
    const known = best === null ? -1 : (model.byId.get(best)?.line ?? -1);
    return (node.line as number) > known ? node.id : best;
  }, null);
}
