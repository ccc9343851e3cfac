import type { Tried, TryKind } from "../../host/bindings";
import { duration, percent } from "../../words/format";
import { fill, say, t } from "../../words/language.svelte";

interface TriedWords {
  readonly says: string;
  readonly role: "success" | "danger" | "attention";
  /** Whole sentences that follow. */
  readonly remarks: readonly string[];
}

/** “Exit code 1 after 2.3 s.”, “2 files or folders found.” */
export function triedFacts({ end, code, took_ms, found, covered }: Tried): string {
  const slots = { code: code ?? "–", time: duration(took_ms), count: found ?? 0 };
  return fill({ ...t.checkUnknown, ...t.triedEnd }[end], { ...slots, share: percent(covered ?? 0, 2) });
}

function leftWords({ left }: Tried): string[] {
  if (left?.result === "left") {
    const names = left.processes.map(({ name, pid }) => say(t.units.noted, { name, note: pid }));
    return [say(t.start.tryLeft, { names: names.join(t.units.listSeparator) })];
  }
  return left?.result === "unknown" ? [t.needSays.left_unknown] : [];
}

function testWords({ tests, end }: Tried): string[] {
  if (tests) {
    const { passed, failed, skipped } = tests;
    return [say(t.start.tryCounts, { passed, failed, skipped })];
  }
  return end === "exited" ? [t.start.tryNoTests] : [];
}

/** What came of a try, in plain words. */
export function triedWords(tried: Tried, kind: TryKind): TriedWords {
  const hollow = tried.passes === true && tried.could_not_run;
  const remarks = [
    ...(hollow ? [t.start.tryHollow] : []),
    ...(kind === "tests" ? testWords(tried) : []),
    ...leftWords(tried),
  ];
  if (tried.passes === null)
    return {
      says: tried.end === "stopped" ? t.start.tryUntold : t.start.tryUnknown,
      role: "attention",
      remarks,
    };
  if (!tried.passes) return { says: t.start.tryFails, role: "danger", remarks };
  const proves = !hollow && (kind !== "tests" || tried.tests !== null);
  return { says: t.start.tryPasses, role: proves ? "success" : "attention", remarks };
}
