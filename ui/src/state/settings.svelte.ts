import type { EditorChoice, LoopRow, SavedView, Settings } from "../host/bindings";
import type { Host } from "../host/host";
import { chosenLanguage, language, LANGUAGES, type LanguageId } from "../words/language.svelte";
import { Lately } from "./lately";
import { keptKeys } from "./record-keys";
import type { ChosenKeys } from "./shortcuts";

export const THEMES = ["system", "light", "dark", "contrast-light", "contrast-dark"] as const;
export const DENSITIES = ["comfortable", "compact"] as const;
/** Columns of the loop list that can be hidden; the others say which loop it is and what to do. */
export const COLUMNS = ["format", "phase", "iteration", "seen", "tokens", "cost"] as const;
const WORK_VIEWS = ["auto", "graph", "outline"] as const;
const DIRECTIONS = ["right", "down"] as const;
const HYPOTHESES_VIEWS = ["board", "table"] as const;
export type Column = (typeof COLUMNS)[number];
export type Theme = (typeof THEMES)[number];
export type Density = (typeof DENSITIES)[number];

/** What the system may notify of. */
export const NOTICES = ["needs_you", "failed", "limit", "finished"] as const;
export type Notice = (typeof NOTICES)[number];

/** What is kept between starts; a backend that does not know the last three yet leaves them out. */
type KeptSettings = Settings & {
  notify?: Partial<Record<Notice, boolean>>;
  tray?: boolean;
  shortcuts?: ChosenKeys;
};

const HISTORY = 20;
/** Ends that were looked at are remembered of so many loops, the newest. */
const MOST_OPENED = 5_000;

/** Tells now and from now on whether a media query matches; the answer ends it. */
function watchMedia(media: string, tell: (matches: boolean) => void): () => void {
  const query = matchMedia(media);
  const look = () => tell(query.matches);
  look();
  query.addEventListener("change", look);
  return () => query.removeEventListener("change", look);
}

function oneOf<T extends string>(values: readonly T[], value: unknown, otherwise: T): T {
  return values.includes(value as T) ? (value as T) : otherwise;
}

/** What a person edited in the file may lack a part. */
function keptViews(kept: readonly SavedView[] | undefined): Required<SavedView>[] {
  const all = (kept ?? []).map(({ name = "", filter = "", sort = "status" }) => ({ name, filter, sort }));
  return all.filter(({ name }) => name !== "");
}

/** Everything is announced unless the person turned it off. */
function noticesOf(kept: Partial<Record<Notice, boolean>>): Record<Notice, boolean> {
  return {
    needs_you: kept.needs_you ?? true,
    failed: kept.failed ?? true,
    limit: kept.limit ?? true,
    finished: kept.finished ?? true,
  };
}

/** What a person chose, applied to the page at once and handed to the backend to remember. */
export class SettingsState {
  theme: Theme = $state("system");
  languageChoice: LanguageId | "system" = $state("system");
  density: Density = $state("comfortable");
  letterKeys = $state(true);
  freshMinutes = $state(15);
  editor: Required<EditorChoice> = $state.raw({ id: "auto", command: [] });
  /** Id of the terminal that is opened in folders. */
  terminal = $state("auto");
  /** Views of the list that the person saved. */
  views: readonly Required<SavedView>[] = $state.raw([]);
  hiddenColumns: readonly Column[] = $state.raw([]);
  filters: readonly string[] = $state.raw([]);
  opened: Readonly<Record<string, number | null>> = $state.raw({});
  /** How work is shown; its size decides by default. */
  workView: (typeof WORK_VIEWS)[number] = $state("auto");
  workDirection: (typeof DIRECTIONS)[number] = $state("right");
  hypothesesView: (typeof HYPOTHESES_VIEWS)[number] = $state("board");
  /** What was done and opened last, for the palette. */
  readonly lately = new Lately(() => this.save());

  notify: Readonly<Record<Notice, boolean>> = $state.raw(noticesOf({}));
  tray = $state(true);
  /** Keys that a person chose for shortcuts of the window. */
  shortcuts: ChosenKeys = $state.raw({});

  readonly #host: Host;
  /** Until then the language is the one that the window began with. */
  #loaded = $state(false);
  #dark = $state(false);
  #moreContrast = $state(false);

  constructor(host: Host) {
    this.#host = host;
  }

  load(settings: KeptSettings): void {
    this.theme = oneOf(THEMES, settings.theme, "system");
    this.languageChoice = oneOf([...LANGUAGES, "system"], settings.language, "system");
    this.density = oneOf(DENSITIES, settings.density, "comfortable");
    this.letterKeys = settings.letter_keys ?? true;
    this.freshMinutes = settings.fresh_minutes ?? 15;
    this.hiddenColumns = COLUMNS.filter((column) => settings.hidden_columns?.includes(column));
    this.filters = settings.filters ?? [];
    this.opened = settings.opened ?? {};
    this.editor = { id: settings.editor?.id ?? "auto", command: [...(settings.editor?.command ?? [])] };
    this.terminal = settings.terminal?.id ?? "auto";
    this.views = keptViews(settings.views);
    this.workView = oneOf(WORK_VIEWS, settings.work_view, "auto");
    this.workDirection = oneOf(DIRECTIONS, settings.work_direction, "right");
    this.hypothesesView = oneOf(HYPOTHESES_VIEWS, settings.hypotheses_view, "board");
    this.lately.load(settings.recent_commands ?? []);
    this.notify = noticesOf(settings.notify ?? {});
    this.tray = settings.tray ?? true;
    this.shortcuts = keptKeys(settings.shortcuts);
    this.#loaded = true;
  }

  get plain(): KeptSettings {
    return {
      theme: this.theme,
      language: this.languageChoice,
      density: this.density,
      letter_keys: this.letterKeys,
      hidden_columns: [...this.hiddenColumns],
      filters: [...this.filters],
      fresh_minutes: this.freshMinutes,
      opened: { ...this.opened },
      editor: { id: this.editor.id, command: [...this.editor.command] },
      terminal: { id: this.terminal },
      views: this.views.map((view) => ({ ...view })),
      work_view: this.workView,
      work_direction: this.workDirection,
      hypotheses_view: this.hypothesesView,
      recent_commands: [...this.lately.ids],
      notify: { ...this.notify },
      tray: this.tray,
      shortcuts: { ...this.shortcuts },
    };
  }

  /** A failure to remember is not worth interrupting for: the choice itself is in effect. */
  save(): void {
    this.#host.saveSettings(this.plain).catch(() => undefined);
  }

  /** The theme on screen. A system that asks for more contrast gets it in light and in dark. */
  get shownTheme(): Exclude<Theme, "system"> {
    if (this.theme === "contrast-light" || this.theme === "contrast-dark") return this.theme;
    const dark = this.theme === "system" ? this.#dark : this.theme === "dark";
    if (this.#moreContrast) return dark ? "contrast-dark" : "contrast-light";
    return dark ? "dark" : "light";
  }

  /** Sets theme, language and density on the page; call inside an effect. */
  apply(root: HTMLElement): void {
    // A catalogue that cannot be read leaves the language as it is.
    if (this.#loaded) language.show(chosenLanguage(this.languageChoice)).catch(() => undefined);
    root.dataset.theme = this.shownTheme;
    root.dataset.density = this.density;
    root.lang = language.id;
  }

  /** Follows the system's light or dark, and its wish for more contrast; the answer ends it. */
  watchSystem(): () => void {
    const ends = [
      watchMedia("(prefers-color-scheme: dark)", (matches) => (this.#dark = matches)),
      watchMedia("(prefers-contrast: more)", (matches) => (this.#moreContrast = matches)),
    ];
    return () => ends.forEach((end) => end());
  }

  shows(column: Column): boolean {
    return !this.hiddenColumns.includes(column);
  }

  toggleColumn(column: Column): void {
    this.hiddenColumns = COLUMNS.filter((one) => this.shows(one) === (one === column));
    this.save();
  }

  rememberFilter(text: string): void {
    const filter = text.trim();
    if (filter === "" || this.filters[0] === filter) return;
    this.filters = [filter, ...this.filters.filter((other) => other !== filter)].slice(0, HISTORY);
    this.save();
  }

  /** An end was looked at: it leaves Attention until it changes again. */
  markOpened(row: LoopRow): void {
    if (!row.until_opened || this.opened[row.key] === row.changed) return;
    const others = Object.entries(this.opened).filter(([key]) => key !== row.key);
    this.opened = Object.fromEntries([...others.slice(1 - MOST_OPENED), [row.key, row.changed]]);
    this.save();
  }

  /** Forgets what was looked at of loops that are gone. */
  forgetOpened(isGone: (key: string) => boolean): void {
    const kept = Object.entries(this.opened).filter(([key]) => !isGone(key));
    if (kept.length === Object.keys(this.opened).length) return;
    this.opened = Object.fromEntries(kept);
    this.save();
  }
}
