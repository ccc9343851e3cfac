import type { CodePlace } from "../../../host/bindings";

/** `file:line`, as editors and terminals take it. */
export function fileAndLine(place: Pick<CodePlace, "file" | "line">): string {
  return place.line === null ? place.file : `${place.file}:${place.line}`;
}

/** The last part of a path. */
export function baseName(file: string): string {
  return file.split(/[\\/]/).at(-1) ?? file;
}
