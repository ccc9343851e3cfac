import type { KeyGroup } from "../../../state/keys";
import { t } from "../../../words/language.svelte";

/** The keys of tasks and the task list, for the key help. */
export const KEYS = (): KeyGroup => ({
  title: t.tasksView.keyHelp.title,
  keys: [
    [["↑", "↓"], t.tasksView.keyHelp.move],
    [["Enter"], t.tasksView.keyHelp.open],
    [["Space"], t.tasksView.keyHelp.tick],
    [["←", "→"], t.tasksView.keyHelp.fold],
    [["c"], t.tasksView.keyHelp.copy],
    [["Alt ↑", "Alt ↓"], t.tasksView.keyHelp.reorder],
  ],
});
