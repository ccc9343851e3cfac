import type { TestLine } from "../../host/bindings";
import type { Host } from "../../host/host";
import { baseName } from "./location";
import { mentions } from "./related";

/** So many failed tests are looked at. */
const MOST = 200;

/** A failed test that names a file. */
export interface Failing {
  readonly suite: string;
  readonly name: string;
  readonly error: string;
}

function failed(line: TestLine, file: string): Failing[] {
  if (line.kind !== "test" || line.outcome !== "failed") return [];
  const { suite, name, error } = line;
  return [suite, name, error ?? ""].some((text) => mentions(text, file))
    ? [{ suite, name, error: error ?? "" }]
    : [];
}

/** Failed tests of a run whose suite, name or message name the file. */
export async function failingOf(host: Host, key: string, run: number, file: string): Promise<Failing[]> {
  const page = await host.tests(key, {
    run,
    text: baseName(file),
    chips: ["failed"],
    sort: "failed_first",
    toggled: [],
    offset: 0,
    limit: MOST,
  });
  return page.lines.flatMap((line) => failed(line, file));
}
