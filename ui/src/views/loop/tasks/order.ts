import type { MenuItem } from "../../../components/menu";
import type { ListedTask, LoopRow, StepOffer } from "../../../host/bindings";
import type { App } from "../../../state/app.svelte";
import { reasonOf, stepItem } from "../../../state/steps";
import { say, t } from "../../../words/language.svelte";
import { listedMarkdown } from "./text";

/** All ids with one of them at another place. */
export function reordered(tasks: readonly ListedTask[], from: number, to: number): string[] {
  const ids = tasks.map((task) => task.id);
  ids.splice(to, 0, ...ids.splice(from, 1));
  return ids;
}

/** Where a task could go from its place; nothing for a place it has already. */
const MOVES = [
  { id: "task_up", by: -1, shortcut: "Alt ↑", label: () => t.steps.moveUp },
  { id: "task_down", by: 1, shortcut: "Alt ↓", label: () => t.steps.moveDown },
  { id: "task_top", by: -Infinity, shortcut: undefined, label: () => t.tasksView.moveTop },
  { id: "task_bottom", by: Infinity, shortcut: undefined, label: () => t.tasksView.moveBottom },
] as const;

interface OfTask {
  readonly app: App;
  readonly row: LoopRow;
  readonly offer: StepOffer | undefined;
  readonly task: ListedTask;
  readonly index: number;
  readonly count: number;
  /** Why it cannot be moved now, whatever the core says. */
  readonly stuck: string | undefined;
  readonly move: (by: number) => void;
  readonly oncopylink: (() => void) | undefined;
}

/** Everything that can be done with a task of the list. */
export function listedItems(of: OfTask): MenuItem[] {
  const { app, row, offer, task, index, count, stuck, move, oncopylink } = of;
  const copy: MenuItem = {
    id: "copy_markdown",
    label: t.common.copyMarkdown,
    icon: "copy",
    apart: offer !== undefined,
    run: () => void app.desktop.copy(listedMarkdown(task)),
  };
  const link: MenuItem[] = oncopylink ? [{ id: "copy_link", label: t.common.copyLink, run: oncopylink }] : [];
  if (!offer) return [copy, ...link];
  const refused = reasonOf(offer, row);
  const end = (by: number) =>
    by < 0 && index === 0 ? t.steps.first : by > 0 && index === count - 1 ? t.steps.last : undefined;
  return [
    stepItem(app, row, offer, "task_edit", { id: task.id }),
    ...MOVES.map(({ id, by, shortcut, label }): MenuItem => {
      const reason = refused ?? stuck ?? end(by);
      return {
        id,
        label: label(),
        apart: by === -1,
        run: () => move(by),
        ...(shortcut ? { shortcut } : {}),
        ...(reason ? { reason } : {}),
      };
    }),
    copy,
    ...link,
    { ...stepItem(app, row, offer, "task_delete", { id: task.id }), danger: true, apart: true },
  ];
}

/** Writes the new order; answers whether it was taken. */
export function reorder(
  app: App,
  row: LoopRow,
  tasks: readonly ListedTask[],
  from: number,
  to: number,
): Promise<boolean> {
  const said = { name: tasks[from]?.description ?? "", place: to + 1, total: tasks.length };
  const edit = { edit: "reorder", ids: reordered(tasks, from, to) } as const;
  return app.actions.changeAtOnce(row.key, { kind: "edit_tasks", edit }, say(t.steps.moved, said));
}
