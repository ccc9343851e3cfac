/** A tag as the runtime understands it; nothing for what is no tag, such as “C”. */
export function localeNamed(tag: string): Intl.Locale | null {
  try {
    return new Intl.Locale(tag);
  } catch {
    return null;
  }
}

/** Which letters a locale is written in; “zh-TW” and “zh-CN” differ. */
export function scriptOf(locale: Intl.Locale): string | undefined {
  return locale.maximize().script;
}

/**
 * The locale in which dates and numbers are written: the system's own where it speaks the language of the window, else
 * this language with the system's region.
 */
export function localeOf(language: string, system: readonly string[]): string {
  const own = new Intl.Locale(language);
  const regional = system.map(localeNamed).filter((one) => one?.region !== undefined) as Intl.Locale[];
  const spoken = regional.find((one) => one.language === own.language && scriptOf(one) === scriptOf(own));
  if (spoken) return spoken.toString();
  const region = regional[0]?.region;
  if (region === undefined) return language;
  const there = new Intl.Locale(language, { region });
  if (scriptOf(there) === scriptOf(own)) return there.toString();
  return new Intl.Locale(language, { region, script: scriptOf(own) }).toString();
}
