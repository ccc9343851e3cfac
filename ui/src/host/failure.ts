import type { Failure } from "./bindings";

function isFailure(value: unknown): value is Failure {
  return typeof value === "object" && value !== null && "kind" in value && "args" in value;
}

/** Whatever an operation rejected with, as a failure that has words. */
export function asFailure(reason: unknown): Failure {
  if (isFailure(reason)) return reason;
  const text = reason instanceof Error ? reason.message : String(reason);
  return { kind: "own_data", args: { reason: text }, refusal: null };
}
