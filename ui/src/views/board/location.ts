/** A logging point taken apart; `line` and `name` are empty when it does not say them. */
export interface CodePlace {
  readonly file: string;
  readonly line: string;
  /** The function. */
  readonly name: string;
}

const DRIVE = /^[A-Za-z]:(?=[\\/])/;

/** `file:function:line`, with less of it too. A function may hold colons itself (`Limit::touch`), a file starts with its drive. */
export function placeOf(point: string): CodePlace | null {
  const text = point.trim();
  if (text === "") return null;
  const drive = DRIVE.exec(text)?.[0] ?? "";
  const [first = "", ...rest] = text.slice(drive.length).split(":");
  const file = drive + first;
  const last = rest.at(-1) ?? "";
  if (!/^\d+$/.test(last)) return { file, line: "", name: rest.join(":") };
  const between = rest.slice(0, -1).join(":");
  // `file:line:column`, as compilers write it.
  if (/^\d+$/.test(between)) return { file, line: between, name: "" };
  return { file, line: last, name: between };
}

/** `file:line`, as editors and terminals take it. */
export function fileAndLine(place: CodePlace): string {
  return place.line === "" ? place.file : `${place.file}:${place.line}`;
}

/** The last part of a path. */
export function baseName(file: string): string {
  return file.split(/[\\/]/).at(-1) ?? file;
}
