import type { TestLine } from "../../../host/bindings";
import type { Host } from "../../../host/host";

/** So many failed tests are looked at. */
const MOST = 200;

/** A failed test that names a file. */
interface Failing {
  readonly suite: string;
  readonly name: string;
  readonly error: string;
}

function failed(line: TestLine): Failing[] {
  return line.kind === "test" ? [{ suite: line.suite, name: line.name, error: line.error ?? "" }] : [];
}

/** Failed tests of a run that name the file. */
export async function failingOf(host: Host, key: string, run: number, file: string): Promise<Failing[]> {
  const page = await host.tests(key, {
    run,
    text: "",
    chips: ["failed"],
    file,
    sort: "failed_first",
    toggled: [],
    offset: 0,
    limit: MOST,
  });
  return page.lines.flatMap(failed);
}
