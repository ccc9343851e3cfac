import type { LoopRow, Settings } from "../host/bindings";
import type { Host } from "../host/host";
import { language, LANGUAGES, systemLanguage, type LanguageId } from "../words/language.svelte";
import { wantsOneLook } from "./arrange";

export const THEMES = ["system", "light", "dark"] as const;
export const DENSITIES = ["comfortable", "compact"] as const;
/** Columns of the loop list that can be hidden; the others say which loop it is and what to do. */
export const COLUMNS = ["format", "phase", "iteration", "seen"] as const;
export type Column = (typeof COLUMNS)[number];
export type Theme = (typeof THEMES)[number];
export type Density = (typeof DENSITIES)[number];

const HISTORY = 20;

function oneOf<T extends string>(values: readonly T[], value: unknown, otherwise: T): T {
  return values.includes(value as T) ? (value as T) : otherwise;
}

/** What a person chose, applied to the page at once and handed to the backend to remember. */
export class SettingsState {
  theme: Theme = $state("system");
  languageChoice: LanguageId | "system" = $state("system");
  density: Density = $state("comfortable");
  letterKeys = $state(true);
  freshMinutes = $state(15);
  hiddenColumns: readonly Column[] = $state.raw([]);
  filters: readonly string[] = $state.raw([]);
  opened: Readonly<Record<string, number | null>> = $state.raw({});

  readonly #host: Host;
  #dark = $state(false);

  constructor(host: Host) {
    this.#host = host;
  }

  load(settings: Settings): void {
    this.theme = oneOf(THEMES, settings.theme, "system");
    this.languageChoice = oneOf([...LANGUAGES, "system"], settings.language, "system");
    this.density = oneOf(DENSITIES, settings.density, "comfortable");
    this.letterKeys = settings.letter_keys ?? true;
    this.freshMinutes = settings.fresh_minutes ?? 15;
    this.hiddenColumns = COLUMNS.filter((column) => settings.hidden_columns?.includes(column));
    this.filters = settings.filters ?? [];
    this.opened = settings.opened ?? {};
  }

  get plain(): Settings {
    return {
      theme: this.theme,
      language: this.languageChoice,
      density: this.density,
      letter_keys: this.letterKeys,
      hidden_columns: [...this.hiddenColumns],
      filters: [...this.filters],
      fresh_minutes: this.freshMinutes,
      opened: { ...this.opened },
    };
  }

  /** A failure to remember is not worth interrupting for: the choice itself is in effect. */
  save(): void {
    this.#host.saveSettings(this.plain).catch(() => undefined);
  }

  /** Sets theme, language and density on the page; call inside an effect. */
  apply(root: HTMLElement): void {
    const theme = this.theme === "system" ? (this.#dark ? "dark" : "light") : this.theme;
    language.id = this.languageChoice === "system" ? systemLanguage() : this.languageChoice;
    root.dataset.theme = theme;
    root.dataset.density = this.density;
    root.lang = language.id;
  }

  /** Follows the system's light or dark; the answer ends it. */
  watchSystem(): () => void {
    const query = matchMedia("(prefers-color-scheme: dark)");
    const look = () => (this.#dark = query.matches);
    look();
    query.addEventListener("change", look);
    return () => query.removeEventListener("change", look);
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
    if (!wantsOneLook(row) || this.opened[row.key] === row.changed) return;
    this.opened = { ...this.opened, [row.key]: row.changed };
    this.save();
  }
}
