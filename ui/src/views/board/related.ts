import type { EventView, LoopDetail } from "../../host/bindings";
import { baseName } from "./location";

const clean = (file: string) => file.replaceAll("\\", "/").replace(/^(\.\/)+/, "");

/** Whether two paths are the same file as written, but for the spelling of separators. */
export function sameFile(a: string, b: string): boolean {
  return a !== "" && clean(a) === clean(b);
}

/** Whether a text names the file: its base name, not as a part of a longer one. */
export function mentions(text: string, file: string): boolean {
  const name = baseName(file);
  if (name === "") return false;
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1)) {
    const before = text[at - 1] ?? " ";
    const after = text[at + name.length] ?? " ";
    if (!/[\p{L}\p{N}_.-]/u.test(before) && !/[\p{L}\p{N}_-]/u.test(after)) return true;
  }
  return false;
}

/** Tasks that changed the file. */
export function changedBy(detail: LoopDetail, file: string): { id: string; description: string }[] {
  return detail.tasks.filter((task) => task.files_changed.some((one) => sameFile(one, file)));
}

/** Names of failed tests that hold the name of the file. */
export function failedNames(detail: LoopDetail, file: string): string[] {
  return (detail.validation?.failed_tests ?? []).filter((name) => mentions(name, file));
}

/** What happened with the file, newest first. Entries of the log are shown with their hypothesis already. */
export function eventsOf(detail: LoopDetail, file: string): EventView[] {
  return detail.events
    .filter(
      (event) =>
        event.kind !== "debug_log" &&
        (event.files.some((one) => sameFile(one, file)) || mentions(event.text, file)),
    )
    .reverse();
}
