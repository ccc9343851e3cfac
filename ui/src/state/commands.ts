import type { LoopRow } from "../host/bindings";
import { LANGUAGE_NAMES, LANGUAGES, say, t } from "../words/language.svelte";
import { bare, workspaceText } from "../words/phrases";
import type { App } from "./app.svelte";
import type { Command, CommandGroup, GroupedCommand } from "./command";
import { asideToken, filterText, folderToken } from "./filter";
import { controlName } from "./launching";
import { fuzzyBest } from "./fuzzy";
import { openId } from "./lately";
import { offeredVerbs } from "./menu-items";
import { placeCommands } from "./place-commands";
import { keysOfView } from "./saved-views";
import type { ShortcutId } from "./shortcuts";
import { DENSITIES, THEMES } from "./settings.svelte";
import { loopStepItems, recordItems } from "./steps";

function verbOf(verb: string, row: LoopRow): string {
  return say(t.units.labelled, { name: bare(verb), value: row.title });
}

const labelled = (name: string, value: string) => say(t.units.labelled, { name, value });

function verbCommands(app: App, row: LoopRow): Command[] {
  return offeredVerbs(row).map((verb) => ({
    id: `${verb} ${row.key}`,
    label: verbOf(controlName(verb, row), row),
    icon: "command",
    row,
    ...(verb === "delete" ? { harm: bare(controlName(verb, row)) } : {}),
    run: () => void app.actions.request(row.key, verb),
  }));
}

/** Steps of the work: only the opened loop's are known, and only those that are possible now. */
function stepCommands(app: App, row: LoopRow): Command[] {
  const { opened } = app.navigation;
  const page = opened?.key === row.key ? opened.page : null;
  if (!page) return [];
  const { steps } = page.detail;
  return [...loopStepItems(app, row, steps), ...recordItems(app, row, steps)]
    .filter((item) => item.reason === undefined)
    .map((item) => ({
      id: `${item.id} ${row.key}`,
      label: verbOf(item.label, row),
      icon: "command",
      row,
      run: item.run,
    }));
}

function duplicateCommand(app: App, row: LoopRow): Command {
  return {
    id: `duplicate ${row.key}`,
    label: verbOf(t.start.duplicate, row),
    icon: "copy",
    row,
    run: () => app.navigation.startLoop(row.key),
  };
}

function terminalCommand(app: App, row: LoopRow): Command {
  return {
    id: `terminal ${row.key}`,
    label: verbOf(t.terminal.open, row),
    icon: "command",
    row,
    run: () => void app.desktop.openTerminal(row.key),
  };
}

function undoCommand(app: App, row: LoopRow): Command {
  return {
    id: `undo ${row.key}`,
    label: t.detail.undo,
    icon: "undo",
    row,
    run: () => void app.actions.undo(row.key),
  };
}

/** How the person keeps it in the list. */
function markCommands(app: App, row: LoopRow): Command[] {
  const { archived, pinned } = row.marks;
  const command = (id: string, verb: string, icon: Command["icon"], run: () => void): Command => ({
    id: `${id} ${row.key}`,
    label: verbOf(verb, row),
    icon,
    row,
    run,
  });
  const snooze = () => (app.navigation.dialog = { kind: "snooze", keys: [row.key] });
  return [
    command(
      "archive",
      archived ? t.marks.unarchive : t.marks.archive,
      "archive",
      () => void app.marking.archive([row.key]),
    ),
    command("pin", pinned ? t.marks.unpin : t.marks.pin, "pin", () => void app.marking.pin([row.key])),
    command("snooze", t.marks.snooze, "clock", snooze),
  ];
}

/** The loops that are put aside, and the way back of the last change of the list. */
function listCommands(app: App): Command[] {
  const views = (["archived", "snoozed"] as const).filter((how) => app.list.aside[how] > 0);
  return [
    ...(app.notices.undoName !== null
      ? [
          {
            id: "undo-list",
            label: t.shortcuts.names.undo,
            icon: "undo" as const,
            shortcut: app.keysFor("undo").join(" "),
            run: () => void app.notices.undoLast(),
          },
        ]
      : []),
    ...app.views.all.map((view, at): Command => ({
      id: `view: ${view.name}`,
      label: view.name,
      icon: "list",
      shortcut: keysOfView(at).join(" "),
      run: () => void app.views.show(at),
    })),
    ...(app.views.isNew
      ? [
          {
            id: "save-view",
            label: t.views.save,
            icon: "plus" as const,
            run: () => void (app.navigation.dialog = { kind: "view", name: null }),
          },
        ]
      : []),
    ...views.map((how): Command => ({
      id: `view ${how}`,
      label: t.marks[how],
      icon: how === "archived" ? "archive" : "clock",
      run: () => app.navigation.showList(filterText([asideToken(how)])),
    })),
  ];
}

/** What the opened loop's file allows: repairs that are possible now, and recovery when it cannot be read. */
function fileCommands(app: App, row: LoopRow): Command[] {
  const { page } = app.navigation;
  const offers = page?.row.key === row.key ? page.detail.repairs : [];
  const repairs = offers
    .filter((offer) => offer.refusal === null)
    .map((offer): Command => ({
      id: `repair ${offer.code} ${row.key}`,
      label: verbOf(say(t.units.labelled, { name: t.repairs.button, value: t.repair[offer.code] }), row),
      icon: "repair",
      row,
      run: () => void app.actions.repair(row.key, offer),
    }));
  if (!app.actions.recoverable(row)) return repairs;
  const recover: Command = {
    id: `recover ${row.key}`,
    label: verbOf(t.recovery.open, row),
    icon: "repair",
    row,
    run: () => (app.navigation.dialog = { kind: "recover", key: row.key }),
  };
  return [recover, ...repairs];
}

function linkCommands(app: App, row: LoopRow): Command[] {
  const { place } = app.navigation;
  const here = place.kind === "loop" && place.key === row.key;
  const link: Command = {
    id: `link ${row.key}`,
    label: here ? t.links.copyHere : verbOf(t.common.copyLink, row),
    icon: "link",
    row,
    run: () => void app.desktop.copyLinkHere(row.key),
  };
  return [link];
}

function settingCommands(app: App): Command[] {
  const { settings } = app;
  const set = (id: string, label: string, change: () => void): Command => ({
    id,
    label,
    icon: "gear",
    run: () => {
      change();
      settings.save();
    },
  });
  return [
    ...THEMES.map((theme) =>
      set(`theme ${theme}`, labelled(t.settings.theme, t.settings.themes[theme]), () => {
        settings.theme = theme;
      }),
    ),
    ...LANGUAGES.map((id) =>
      set(`language ${id}`, labelled(t.settings.language, LANGUAGE_NAMES[id]), () => {
        settings.languageChoice = id;
      }),
    ),
    ...DENSITIES.map((density) =>
      set(`density ${density}`, labelled(t.settings.density, t.settings.densities[density]), () => {
        settings.density = density;
      }),
    ),
  ];
}

function folderCommands(app: App): Command[] {
  return [
    ...app.catalog.workspaces.map((workspace): Command => ({
      id: `folder ${workspace.id}`,
      label: say(t.sidebar.filterBy, { name: workspaceText(workspace) }),
      icon: "folder",
      run: () => app.navigation.showList(filterText([folderToken(workspace)])),
    })),
    ...app.folders.recent.map((folder): Command => ({
      id: `recent ${folder.path}`,
      label: say(t.units.labelled, { name: t.detail.openFolder, value: folder.shown }),
      icon: "clock",
      run: () => void app.folders.ask((host) => host.addWorkspace(folder.path)),
    })),
  ];
}

function windowCommands(app: App): Command[] {
  const shortcut = (id: ShortcutId) => app.keysFor(id).join(" ");
  return [
    {
      id: "start",
      label: t.shortcuts.names.start,
      icon: "plus",
      ...(app.settings.letterKeys ? { shortcut: shortcut("start") } : {}),
      run: () => app.navigation.startLoop(),
    },
    {
      id: "loops",
      label: t.shortcuts.names.list,
      icon: "list",
      shortcut: shortcut("list"),
      run: () => app.navigation.showList(""),
    },
    {
      id: "back",
      label: t.shortcuts.names.back,
      icon: "undo",
      shortcut: shortcut("back"),
      run: () => void app.navigation.retrace("back"),
    },
    {
      id: "needs",
      label: t.shortcuts.names.needs,
      icon: "bell",
      shortcut: shortcut("needs"),
      run: () => (app.needs.open = true),
    },
    {
      id: "overview",
      label: t.shortcuts.names.overview,
      icon: "chart",
      shortcut: shortcut("overview"),
      run: () => app.navigation.showOverview(),
    },
    {
      id: "search",
      label: t.shortcuts.names.search,
      icon: "search",
      shortcut: shortcut("search"),
      run: () => app.navigation.showSearch(),
    },
    {
      id: "rules",
      label: t.common.attentionRules,
      icon: "bell",
      run: () => (app.navigation.dialog = { kind: "rules" }),
    },
    {
      id: "report",
      label: t.reportDialog.open,
      icon: "document",
      run: () => (app.navigation.dialog = { kind: "report", loop: null }),
    },
    {
      id: "agents",
      label: t.shortcuts.names.agents,
      icon: "agent",
      shortcut: shortcut("agents"),
      run: () => app.navigation.showAgents(),
    },
    {
      id: "team",
      label: t.shortcuts.names.team,
      icon: "team",
      shortcut: shortcut("team"),
      run: () => app.navigation.showTeam(),
    },
    {
      id: "guide",
      label: t.shortcuts.names.guide,
      icon: "guide",
      shortcut: shortcut("guide"),
      run: () => app.navigation.showGuide(),
    },
    { id: "about", label: t.about.title, icon: "document", run: () => app.navigation.showAbout() },
    {
      id: "add",
      label: t.sidebar.addFolder,
      icon: "plus",
      run: () => void app.folders.ask((host) => host.pickWorkspace()),
    },
    {
      id: "sample",
      label: t.empty.openSample,
      icon: "folder",
      run: () => void app.folders.ask((host) => host.openSample()),
    },
    {
      id: "rescan",
      label: t.palette.rescan,
      icon: "search",
      run: () => void app.folders.ask((host) => host.rescan()),
    },
    {
      id: "settings",
      label: t.palette.groups.settings,
      icon: "gear",
      shortcut: shortcut("settings"),
      run: () => (app.navigation.dialog = { kind: "settings" }),
    },
    {
      id: "keys",
      label: t.shortcuts.names.help,
      icon: "command",
      shortcut: shortcut("help"),
      run: () => (app.navigation.dialog = { kind: "keys" }),
    },
  ];
}

function openCommand(app: App, row: LoopRow): Command {
  return {
    id: openId(row.key),
    label: say(t.common.openOf, { title: row.title }),
    icon: "chevron",
    row,
    run: () => app.navigation.open(row.key),
  };
}

const inGroup = (group: CommandGroup, commands: readonly Command[]): GroupedCommand[] =>
  commands.map((command) => ({ ...command, group }));

/** So many loops' commands are made at a time while a person reads. */
const AT_ONCE = 400;

/**
 * Everything that can be done when the palette opens: for the current loop first, then the window, folders, settings, then
 * all loops. What can be done with thousands of loops is made when it is asked for: it takes far longer than a palette may
 * take to open.
 */
export class Commands {
  /** For the current loop, the window, folders and settings. */
  readonly near: readonly GroupedCommand[];
  readonly #app: App;
  readonly #rows: readonly LoopRow[];
  readonly #made: GroupedCommand[];
  readonly #more: Iterator<Command>;
  #done = false;

  constructor(app: App) {
    const { place } = app.navigation;
    const key = place.kind === "loop" ? place.key : app.list.activeKey;
    const current = key ? app.catalog.cell(key)?.row : undefined;
    this.#app = app;
    // The list must not change under the person who chooses from it.
    this.#rows = [...app.catalog.cells()].map((cell) => cell.row);
    this.near = nearCommands(app, current);
    this.#made = [...this.near];
    this.#more = rowCommands(
      app,
      this.#rows,
      this.#rows.filter((row) => row !== current),
    );
  }

  /** Makes some more of them; answers whether there are any left. */
  prepare(count = AT_ONCE): boolean {
    for (let left = count; left > 0 && !this.#done; left -= 1) {
      const next = this.#more.next();
      if (next.done) this.#done = true;
      else this.#made.push({ ...next.value, group: "loops" });
    }
    return !this.#done;
  }

  get all(): readonly GroupedCommand[] {
    this.prepare(Infinity);
    return this.#made;
  }

  /**
   * What is offered before anything is typed: what was used last, then everything else in its
   * order.
   */
  firstOffered(most: number): GroupedCommand[] {
    const { place } = this.#app.navigation;
    const here = place.kind === "loop" ? openId(place.key) : "";
    const lately = this.#app.settings.lately.ids
      .filter((id) => id !== here)
      .flatMap((id) => this.#commandNamed(id) ?? []);
    const used = new Set(lately.map(({ id }) => id));
    while (this.#made.length < most + used.size && this.prepare(1));
    const rest = this.#made.slice(0, most + used.size).filter(({ id }) => !used.has(id));
    return [...inGroup("recent", lately), ...rest].slice(0, most);
  }

  #commandNamed(id: string): Command | undefined {
    const near = this.near.find((command) => command.id === id);
    const row = near ? undefined : this.#app.catalog.cell(id.slice(id.indexOf(" ") + 1))?.row;
    if (!row) return near;
    return [openCommand(this.#app, row), ...verbCommands(this.#app, row)].find((one) => one.id === id);
  }
}

function nearCommands(app: App, current: LoopRow | undefined): GroupedCommand[] {
  // The copy of another machine's loop is never written, and no folder of this machine.
  const away = app.catalog.elsewhere(current) !== null;
  const aboutLoop = current && [
    ...verbCommands(app, current),
    ...stepCommands(app, current),
    ...fileCommands(app, current),
    ...(away
      ? []
      : [undoCommand(app, current), duplicateCommand(app, current), terminalCommand(app, current)]),
    ...markCommands(app, current),
    ...linkCommands(app, current),
  ];
  return [
    ...inGroup("loop", aboutLoop ?? []),
    ...inGroup("places", placeCommands(app)),
    ...inGroup("window", [...listCommands(app), ...windowCommands(app)]),
    ...inGroup("folders", folderCommands(app)),
    ...inGroup("settings", settingCommands(app)),
  ];
}

/** Opening any loop, then the verbs of all but the current one. */
function* rowCommands(app: App, rows: readonly LoopRow[], others: readonly LoopRow[]): Generator<Command> {
  for (const row of rows) yield openCommand(app, row);
  for (const row of others) yield* verbCommands(app, row);
}

/** The commands that a query means, best first; what takes something away is never first by a chance match. */
export function commandsMatching(
  all: readonly GroupedCommand[],
  query: string,
  most: number,
): GroupedCommand[] {
  const [word = ""] = query.trim().toLowerCase().split(/\s+/);
  const byChance = ({ harm }: GroupedCommand) => harm !== undefined && !harm.toLowerCase().includes(word);
  const found = fuzzyBest(all, query, (command) => command.label, all.length);
  return [...found.filter((one) => !byChance(one)), ...found.filter(byChance)].slice(0, most);
}
