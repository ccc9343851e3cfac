import type { OutputRow } from "../src/host/bindings";
import { segmentsOf } from "../src/views/loop/output/ansi";

export const text = (source: string) =>
  segmentsOf(source)
    .map((segment) => segment.text)
    .join("");

export function row(more: Partial<OutputRow>): OutputRow {
  return { at: 0, kind: "text", name: "", text: "", cut: null, ok: null, depth: 0, ...more };
}
