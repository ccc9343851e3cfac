/** What a link to a place in the output names: a run, and a row of it. */
interface OutputItem {
  readonly run: string;
  readonly row: number | null;
}

/** `run` or `run:row`; links come from outside, so anything else is no place. */
export function outputItem(text: string | null): OutputItem | null {
  if (text === null || text === "") return null;
  const match = /^(.+):(\d{1,10})$/.exec(text);
  return match ? { run: match[1] as string, row: Number(match[2]) } : { run: text, row: null };
}

export function itemText({ run, row }: OutputItem): string {
  return row === null ? run : `${run}:${row}`;
}
