import type { Component } from "svelte";
import { Query } from "./query.svelte";

/** A part of the window that the first screen does without. */
export function later<Part extends Component<never>>(from: () => Promise<{ default: Part }>): Query<Part> {
  return new Query(async () => (await from()).default);
}
