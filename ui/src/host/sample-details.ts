import type { LoopDetail, LoopRow } from "./bindings";
import { aot } from "./sample-aot";
import { loopB, loopV2, v1 } from "./sample-ccw";
import { emptyDetail } from "./sample-empty";
import { damagedSource, recoveredSource } from "./sample-recovery";
import { sampleDamage } from "./sample-repairs";
import { sampleEvents } from "./sample-timeline";
import { withWork } from "./sample-units";

/** What the sample loop's file says. */
export function sampleDetail(row: LoopRow): LoopDetail {
  const detail = soundDetail(row);
  const { problems, repairs } = sampleDamage(row);
  const events = sampleEvents(row, detail);
  return withWork({
    ...detail,
    ...events,
    problems: [...problems, ...detail.problems],
    repairs: [...repairs],
  });
}

function soundDetail(row: LoopRow): LoopDetail {
  switch (row.format) {
    case "loop_v2":
      return row.word === "not_started"
        ? { ...emptyDetail(row), metadata: loopV2(row).metadata }
        : loopV2(row);
    case "loop_b":
      return loopB(row);
    case "aot":
      return aot(row);
    case "v1":
      return v1(row);
    default:
      return emptyDetail(row);
  }
}

/** The sample loop's file as text. */
export function sampleSource(row: LoopRow): string[] {
  if (row.word === "cannot_read") return damagedSource(row);
  if (row.title === row.id) return recoveredSource(row);
  const state = {
    loop_id: row.id,
    title: row.title,
    status: row.file_word,
    current_iteration: row.iteration?.current,
    max_iterations: row.iteration?.limit,
    skill_state: {
      develop: {
        tasks: Array.from({ length: 40 }, (_, index) => ({
          id: `task-${index + 1}`,
          description: `Step ${index + 1}`,
          status: "pending",
        })),
      },
    },
  };
  return JSON.stringify(state, null, 2).split("\n");
}
