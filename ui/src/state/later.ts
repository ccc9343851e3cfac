import type { Component } from "svelte";
import { language } from "../words/language.svelte";
import { Query } from "./query.svelte";

/** A part of the window that the first screen does without, with its words. */
export function later<Part extends Component<never>>(from: () => Promise<{ default: Part }>): Query<Part> {
  return new Query(async () => {
    const [part] = await Promise.all([from(), language.readAll()]);
    return part.default;
  });
}
