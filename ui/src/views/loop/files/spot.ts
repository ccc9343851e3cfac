/** A file of a loop, as it is now or as one of its kept versions has it. */
interface FileSpot {
  readonly name: string;
  /** Null for what is in the file now. */
  readonly version: number | null;
}

/** How a place names it. */
export function fileItem(name: string, version: number | null = null): string {
  return version === null ? name : `${name}@${version}`;
}

/** What a place names among the files of a loop; null when none of them has that name. */
export function fileSpot(item: string, names: readonly string[]): FileSpot | null {
  if (names.includes(item)) return { name: item, version: null };
  const [, name = "", id = ""] = /^(.+)@(\d{1,15})$/.exec(item) ?? [];
  return names.includes(name) ? { name, version: Number(id) } : null;
}
