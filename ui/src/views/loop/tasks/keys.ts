import type { KeyGroup } from "../../../state/keys";
import { t } from "../../../words/language.svelte";

/** The keys of tasks and the task list, for the key help. */
export const KEYS = (): KeyGroup => ({
  title: t.fact.total_tasks,
  keys: [
    [["↑", "↓"], t.keys.move],
    [["Enter"], t.common.details],
    [["Space"], t.tasksView.keyHelp.tick],
    [["←", "→"], t.tasksView.keyHelp.fold],
    [["c"], t.common.copyMarkdown],
    [["Alt ↑", "Alt ↓"], t.tasksView.keyHelp.reorder],
  ],
});
