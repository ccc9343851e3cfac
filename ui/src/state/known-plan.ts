import { START_FORM, type LoopRow, type RunPlan } from "../host/bindings";
import type { Host } from "../host/host";
import { fill, t } from "../words/language.svelte";
import type { Catalog } from "./catalog.svelte";

/** Whether the loop belongs to the sample, whose loops bring their plan. */
export function inSample(catalog: Catalog, row: LoopRow | undefined): boolean {
  return row !== undefined && catalog.workspace(row.workspace)?.sample === true;
}

/** How the loop is run by default; nothing where the person has to choose first. */
export async function knownPlan(host: Host, catalog: Catalog, row: LoopRow): Promise<RunPlan | null> {
  if (!row.run && !inSample(catalog, row)) return null;
  try {
    return await host.runs.planOf(row.key);
  } catch {
    return null;
  }
}

/** What a control does, and what a start by this plan runs. */
export function withPlan(effect: string, row: LoopRow, plan: RunPlan): string {
  return [effect, ...planSentences(row, plan)].reduce((first, second) =>
    fill(t.units.twoSentences, { first, second }),
  );
}

function planSentences(row: LoopRow, plan: RunPlan): string[] {
  const sentences: string[] = [];
  if (plan.agent === START_FORM.shell) {
    if (plan.shell_command) sentences.push(fill(t.start.planRuns, { command: plan.shell_command }));
  } else if (row.run) {
    const level = plan.level ? t.start.levels[plan.level] : null;
    const { agent } = row.run;
    sentences.push(
      level ? fill(t.start.planAgent, { agent, level }) : fill(t.start.planAgentOnly, { agent }),
    );
  }
  if (plan.test_command) sentences.push(fill(t.start.planTests, { command: plan.test_command }));
  return sentences;
}
