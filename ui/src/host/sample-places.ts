import type { CodePlace, Editors, LookedUpPath, TestRow, TestView, TextPlace } from "./bindings";

// The rules are the core's, as little of them as samples need, for a host without it.

/** `file:function:line`. */
export function samplePlace(point: string): CodePlace | null {
  const found = /^(.+?):(?:(.*):)?(\d+)$/.exec(point.trim());
  if (found) return { file: found[1]!, line: Number(found[3]), column: null, name: found[2] ?? "" };
  return point.trim() === "" ? null : { file: point.trim(), line: null, column: null, name: "" };
}

export function sightOf(name: string, missing: ReadonlySet<string>): LookedUpPath {
  const found = /^(.+?):(\d+)(?::(\d+))?$/.exec(name);
  const file = found?.[1] ?? name;
  const number = (text: string | undefined) => (text === undefined ? null : Number(text));
  const state = missing.has(file) ? "missing" : file.startsWith("/") ? "outside" : "there";
  return { file, line: number(found?.[2]), column: number(found?.[3]), state };
}

export function testView(row: TestRow): TestView {
  const { error_message: message, stack_trace: stack } = row;
  const text =
    message && stack && !stack.startsWith(message) ? `${message}\n${stack}` : stack || message || "";
  const places = [...text.matchAll(/([\w./-]+\.[a-z]+):(\d+)(?::(\d+))?/g)].map((found): TextPlace => ({
    start: found.index,
    end: found.index + found[0].length,
    file: found[1]!,
    line: Number(found[2]),
    column: found[3] === undefined ? null : Number(found[3]),
  }));
  return { row, text, places };
}

export function sampleEditors(): Editors {
  const found = [
    { id: "vscode", name: "Visual Studio Code", program: "/usr/bin/code" },
    { id: "gnome-text-editor", name: "GNOME Text Editor", program: "/usr/bin/gnome-text-editor" },
  ];
  return { found, auto: "vscode" };
}
