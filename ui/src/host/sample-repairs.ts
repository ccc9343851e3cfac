import type { LoopRow, Problem, ProblemCode, RefusalCode, RepairCode, RepairOffer } from "./bindings";

function offer(
  code: RepairCode,
  ends: ProblemCode,
  args: Record<string, string> = {},
  refused?: RefusalCode,
): RepairOffer {
  const refusal = refused ? ({ code: refused, args: {}, status: "running_elsewhere" } as const) : null;
  return { code, ends: [ends], args, refusal };
}

function problem(code: ProblemCode, path: string, line: number, args: Record<string, string> = {}): Problem {
  return { code, severity: code === "V20_layout" ? "lint" : "warning", path, line, args };
}

interface Damage {
  readonly problems: readonly Problem[];
  readonly repairs: readonly RepairOffer[];
}

const NONE: Damage = { problems: [], repairs: [] };

/** What is wrong with a sample loop and can be repaired with one click. */
export function sampleDamage(row: LoopRow): Damage {
  if (row.word === "cannot_read") {
    return { problems: [], repairs: [offer("strip_trailing_garbage", "E1_trailing_garbage")] };
  }
  if (row.format === "loop_v2" && row.word === "interrupted") {
    return {
      problems: [
        problem("W1_counters", "skill_state.develop.completed", 9, { found: "4", expected: "3" }),
        problem("W11_orphaned_task", "skill_state.develop.tasks[2].status", 24),
      ],
      repairs: [offer("recount", "W1_counters"), offer("reset_orphans", "W11_orphaned_task", { count: "1" })],
    };
  }
  if (row.format === "loop_v2" && row.word === "paused") {
    return {
      problems: [problem("W4_stale_end", "failure_reason", 5)],
      repairs: [offer("clear_stale_end", "W4_stale_end")],
    };
  }
  if (row.format === "aot" && row.word === "running_elsewhere") {
    return {
      problems: [problem("V20_layout", "control.status", 18, { rule: "L4" })],
      repairs: [offer("layout", "V20_layout", { count: "3", rules: "L4, L6", comments: "2" }, "running")],
    };
  }
  return NONE;
}
