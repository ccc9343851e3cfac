import { FORMAT_TRAITS, type Control, type LoopRow, type StepOffer, type Verb } from "../host/bindings";
import type { MenuItem } from "../components/menu";
import { t } from "../words/language.svelte";
import { refusalText, statusText, verbText } from "../words/phrases";
import type { App } from "./app.svelte";
import { controlName, launches } from "./launching";
import { clock } from "./clock.svelte";
import { loopStepItems, recordOffers } from "./steps";

/** The limit is the one reason that the dialog itself can lift. */
export function canLift(control: Control): boolean {
  return control.refusal?.code === "limit_reached";
}

/**
 * Whether a Start next to this Resume would add nothing: it does the same, or is refused for the
 * same reason.
 */
function saysStart(resume: Control, start: Control): boolean {
  return resume.refusal === null || canLift(resume) || resume.refusal.code === start.refusal?.code;
}

/** The verbs to offer: those the format has, and Start only where Resume does not stand for it. */
export function offeredControls(controls: readonly Control[]): Control[] {
  const resume = controls.find((control) => control.verb === "resume");
  return controls.filter(
    (control) =>
      control.refusal?.code !== "not_in_format" &&
      !(control.verb === "start" && resume && saysStart(resume, control)),
  );
}

/** The same for the verbs that a row names as legal. */
export function offeredVerbs(row: LoopRow): Verb[] {
  return row.verbs.filter((verb) => verb !== "start" || !row.verbs.includes("resume"));
}

export function verbLabel(control: Control, row: LoopRow, byHand = false): string {
  if (!canLift(control)) return byHand ? verbText(control.verb, row) : controlName(control.verb, row);
  return control.verb === "reopen" ? t.dialog.raiseAndReopen : t.common.raiseLimitAndResume;
}

const SHORTCUTS: Readonly<Partial<Record<Verb, string>>> = { stop: "S" };

function verbItem(app: App, row: LoopRow, control: Control, apart: boolean): MenuItem {
  const refused = control.refusal && !canLift(control);
  return {
    id: control.verb,
    label: verbLabel(control, row),
    shortcut: SHORTCUTS[control.verb],
    reason: refused ? refusalText(control.refusal!, statusText(row, clock.coarse)) : undefined,
    danger: control.verb === "delete",
    apart,
    run: () => void app.actions.request(row.key, control.verb),
  };
}

/** Verbs that are possible now and start an agent: they can also only be written into the file. */
export function byHandControls(row: LoopRow, controls: readonly Control[]): Control[] {
  return offeredControls(controls).filter(
    (control) => launches(row, control.verb) && (!control.refusal || canLift(control)),
  );
}

/** Verbs and steps without an agent of ours, explained in a dialog. */
function byHandItem(
  app: App,
  row: LoopRow,
  controls: readonly Control[],
  steps: readonly StepOffer[],
): MenuItem[] {
  if (byHandControls(row, controls).length === 0 && recordOffers(steps).length === 0) return [];
  const run = () => (app.navigation.dialog = { kind: "steps", key: row.key });
  return [{ id: "by-hand", label: t.steps.byHand, icon: "document", run }];
}

/** With another agent, or other limits, than the last time. */
function chooseItem(app: App, row: LoopRow, controls: readonly Control[]): MenuItem[] {
  const control = controls.find(({ verb, refusal }) => refusal === null && launches(row, verb));
  if (!control) return [];
  return [
    { id: "choose-launch", label: t.start.choose, run: () => app.actions.chooseLaunch(row.key, control) },
  ];
}

/** Another loop like this one. */
function duplicateItem(app: App, row: LoopRow): MenuItem[] {
  if (row.word === "cannot_read") return [];
  const run = () => app.navigation.startLoop(row.key);
  return [
    {
      id: "duplicate",
      label: FORMAT_TRAITS[row.format].is_worked_off ? t.start.workOff : t.start.duplicate,
      icon: "copy",
      apart: true,
      run,
    },
  ];
}

/** A file about this loop, to send to somebody. */
function reportItem(app: App, row: LoopRow): MenuItem {
  const run = () => (app.navigation.dialog = { kind: "report", loop: row.key });
  return { id: "report", label: t.reportDialog.open, icon: "document", run };
}

/** This loop beside another one, or beside an earlier version. */
function compareItem(app: App, row: LoopRow): MenuItem {
  const run = () => (app.navigation.dialog = { kind: "compare", loop: row.key });
  return { id: "compare", label: t.compare.open, icon: "columns", run };
}

function recoverItem(app: App, row: LoopRow): MenuItem[] {
  if (!app.actions.recoverable(row)) return [];
  const run = () => (app.navigation.dialog = { kind: "recover", key: row.key });
  return [{ id: "recover", label: t.recovery.open, icon: "repair", apart: true, run }];
}

/** What became of its files, and what to do with them: it is wanted most where the loop has ended. */
function finishItem(app: App, row: LoopRow): MenuItem {
  const run = () => (app.navigation.dialog = { kind: "finish", key: row.key });
  return { id: "finish", label: t.finish.open, icon: "branch", run };
}

/** Most entries of a loop's menu before the rest is folded. */
const MOST = 8;

/**
 * Every action of a loop, the same in every place that offers them; steps of the work where the loop is open. First comes
 * what can be done now and is done often, the rest is under “More”.
 */
export function loopItems(
  app: App,
  row: LoopRow,
  controls: readonly Control[],
  opened?: { readonly steps: readonly StepOffer[] },
): MenuItem[] {
  const steps = opened?.steps ?? [];
  const all = offeredControls(controls);
  const labels: readonly Verb[] = ["edit_metadata", "delete"];
  const verbs = all.filter(({ verb }) => !labels.includes(verb));
  const possible = verbs.filter((control) => !control.refusal || canLift(control));
  const refused = verbs.filter((control) => !possible.includes(control));
  const [redirect, ...others] = loopStepItems(app, row, steps);
  // The copy of a loop of another machine is only read, and its folder is none of a person's.
  const own = app.catalog.elsewhere(row) === null;
  const finish = own ? [finishItem(app, row)] : [];
  const hasEnded = row.group === "finished";
  const marks = markItems(app, row);
  const first: MenuItem[] = [
    ...(opened ? [] : [openItem(app, row)]),
    ...possible.map((control, index) => verbItem(app, row, control, !opened && index === 0)),
    ...(redirect ? [redirect] : []),
    ...recoverItem(app, row),
    ...(hasEnded || row.marks.archived ? [marks.archive] : []),
    ...(hasEnded ? finish : []),
    ...(own ? [...chooseItem(app, row, verbs), ...duplicateItem(app, row), ...fileItems(app, row)] : []),
    linkItem(app, row),
  ];
  const more: MenuItem[] = [
    ...(hasEnded || row.marks.archived ? [] : [marks.archive]),
    ...marks.others,
    ...refused.map((control) => verbItem(app, row, control, false)),
    ...others,
    ...(hasEnded ? [] : finish),
    ...(own ? [...byHandItem(app, row, controls, steps), folderItem(app, row), terminalItem(app, row)] : []),
    { id: "copy-path", label: t.sidebar.copyPath, icon: "copy", run: () => void app.desktop.copy(row.file) },
    compareItem(app, row),
    reportItem(app, row),
    ...all.filter(({ verb }) => labels.includes(verb)).map((one, at) => verbItem(app, row, one, at === 0)),
  ];
  return [
    ...first.slice(0, MOST),
    {
      id: "more",
      label: t.common.more,
      icon: "more",
      more: [...first.slice(MOST), ...more],
      apart: true,
      run: () => undefined,
    },
  ];
}

/** Out of the list, first in it, or out of it for a while. What has ended is most often archived next. */
function markItems(app: App, { key, marks }: LoopRow): { archive: MenuItem; others: MenuItem[] } {
  const mark = (id: "archive" | "pin", on: boolean): MenuItem => ({
    id,
    label: on ? t.marks[id === "archive" ? "unarchive" : "unpin"] : t.marks[id],
    icon: id,
    shortcut: id === "archive" ? "E" : "P",
    run: () => void app.marking[id]([key]),
  });
  const snooze: MenuItem = {
    id: "snooze",
    label: t.marks.snooze,
    icon: "clock",
    shortcut: "Z",
    run: () => (app.navigation.dialog = { kind: "snooze", keys: [key] }),
  };
  return { archive: mark("archive", marks.archived), others: [mark("pin", marks.pinned), snooze] };
}

function openItem(app: App, row: LoopRow): MenuItem {
  const run = () => app.navigation.open(row.key);
  return { id: "open", label: t.list.open, icon: "chevron", shortcut: "Enter", run };
}

function fileItems(app: App, row: LoopRow): MenuItem[] {
  return [
    { id: "undo", label: t.detail.undo, icon: "undo", run: () => void app.actions.undo(row.key) },
    {
      id: "open-file",
      label: t.detail.openFile,
      icon: "open",
      run: () => void app.desktop.openOutside(row.key, "file"),
    },
  ];
}

function folderItem(app: App, row: LoopRow): MenuItem {
  const run = () => void app.desktop.openOutside(row.key, "folder");
  return { id: "open-folder", label: t.detail.openFolder, icon: "folder", run };
}

function terminalItem(app: App, row: LoopRow): MenuItem {
  const run = () => void app.desktop.openTerminal(row.key);
  return { id: "terminal", label: t.terminal.open, icon: "command", run };
}

function linkItem(app: App, row: LoopRow): MenuItem {
  const run = () => void app.desktop.copyLinkHere(row.key);
  return { id: "copy-link", label: t.common.copyLink, icon: "link", run };
}
