/** A package by others that is in Loopdeck. */
export interface ThirdParty {
  readonly name: string;
  readonly version: string;
  /** Its licence expression; what is a choice is sorted. */
  readonly licence: string;
  /** Where its source is; empty when it doesn't say. */
  readonly home: string;
  readonly texts: readonly string[];
}

/** The packages under one licence expression. */
interface LicenceGroup {
  readonly licence: string;
  readonly packages: readonly ThirdParty[];
}

/** The file that `cargo xtask third-party` writes: texts are named by their number, because many packages share one. */
interface ThirdPartyFile {
  readonly packages: readonly (Omit<ThirdParty, "texts"> & { readonly texts: readonly number[] })[];
  readonly texts: readonly string[];
}

/** Not in the code of the window: few people read it, and then once. */
const FILE = "/third-party.json";

export async function readThirdParty(): Promise<readonly ThirdParty[]> {
  const answer = await fetch(FILE);
  if (!answer.ok) throw new Error(`${FILE}: ${answer.status}`);
  const file = (await answer.json()) as ThirdPartyFile;
  return file.packages.map((one) => ({ ...one, texts: one.texts.map((number) => file.texts[number]!) }));
}

/** The packages whose name or licence has every word, by licence; the licence of most packages first. */
export function licenceGroups(packages: readonly ThirdParty[], text: string): LicenceGroup[] {
  const words = text.toLowerCase().split(/\s+/u).filter(Boolean);
  const groups = new Map<string, ThirdParty[]>();
  for (const one of packages) {
    const whole = `${one.name} ${one.version} ${one.licence}`.toLowerCase();
    if (!words.every((word) => whole.includes(word))) continue;
    const group = groups.get(one.licence);
    if (group) group.push(one);
    else groups.set(one.licence, [one]);
  }
  return [...groups]
    .map(([licence, members]) => ({ licence, packages: members }))
    .sort((a, b) => b.packages.length - a.packages.length || (a.licence < b.licence ? -1 : 1));
}
