// A reporter of vitest: writes the errors that no test holds to the file that LOOPDECK_UNHANDLED names, since its JSON report leaves them out.
import { writeFileSync } from "node:fs";

export default class Unhandled {
  onTestRunEnd(_modules, errors) {
    const told = errors.map(({ type, name, message, stack, VITEST_TEST_PATH: file }) => ({
      file: file ?? "",
      message: `${type ?? name ?? "Error"}: ${message}\n${stack ?? ""}`,
    }));
    if (process.env.LOOPDECK_UNHANDLED) writeFileSync(process.env.LOOPDECK_UNHANDLED, JSON.stringify(told));
  }
}
