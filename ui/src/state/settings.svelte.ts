import type { LoopRow, Settings } from "../host/bindings";
import type { Host } from "../host/host";
import { language, LANGUAGES, systemLanguage, type LanguageId } from "../words/language.svelte";
import { wantsOneLook } from "./arrange";

export const THEMES = ["system", "light", "dark", "contrast-light", "contrast-dark"] as const;
export const DENSITIES = ["comfortable", "compact"] as const;
/** Columns of the loop list that can be hidden; the others say which loop it is and what to do. */
export const COLUMNS = ["format", "phase", "iteration", "seen", "tokens", "cost"] as const;
export type Column = (typeof COLUMNS)[number];
export type Theme = (typeof THEMES)[number];
export type Density = (typeof DENSITIES)[number];

const HISTORY = 20;

/** Tells now and from now on whether a media query matches; the answer ends it. */
function watch(media: string, tell: (matches: boolean) => void): () => void {
  const query = matchMedia(media);
  const look = () => tell(query.matches);
  look();
  query.addEventListener("change", look);
  return () => query.removeEventListener("change", look);
}

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
  #moreContrast = $state(false);

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

  /** The theme on screen. A system that asks for more contrast gets it in light and in dark. */
  get shownTheme(): Exclude<Theme, "system"> {
    if (this.theme === "contrast-light" || this.theme === "contrast-dark") return this.theme;
    const dark = this.theme === "system" ? this.#dark : this.theme === "dark";
    if (this.#moreContrast) return dark ? "contrast-dark" : "contrast-light";
    return dark ? "dark" : "light";
  }

  /** Sets theme, language and density on the page; call inside an effect. */
  apply(root: HTMLElement): void {
    language.id = this.languageChoice === "system" ? systemLanguage() : this.languageChoice;
    root.dataset.theme = this.shownTheme;
    root.dataset.density = this.density;
    root.lang = language.id;
  }

  /** Follows the system's light or dark, and its wish for more contrast; the answer ends it. */
  watchSystem(): () => void {
    const ends = [
      watch("(prefers-color-scheme: dark)", (matches) => (this.#dark = matches)),
      watch("(prefers-contrast: more)", (matches) => (this.#moreContrast = matches)),
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
    if (!wantsOneLook(row) || this.opened[row.key] === row.changed) return;
    this.opened = { ...this.opened, [row.key]: row.changed };
    this.save();
  }
}
