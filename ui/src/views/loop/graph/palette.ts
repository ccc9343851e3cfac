import type { Role } from "../../../components/shapes";

const ROLES = {
  page: "--surface-page",
  panel: "--surface-panel",
  sunken: "--surface-sunken",
  selected: "--surface-selected",
  text: "--text-primary",
  secondary: "--text-secondary",
  disabled: "--text-disabled",
  subtle: "--line-subtle",
  control: "--line-control",
  accent: "--accent-line",
  edge: "--neutral-line",
  attention: "--attention-fg",
  attentionBack: "--attention-bg",
  danger: "--danger-line",
} as const;

/** The colours of the page, as a canvas and a picture need them. */
export type Palette = Readonly<Record<keyof typeof ROLES, string>> & {
  /** Text and shape of each meaning. */
  readonly meaning: Readonly<Record<Role, string>>;
  readonly font: string;
  /** The font of ids. */
  readonly mono: string;
};

const MEANINGS: readonly Role[] = ["active", "success", "attention", "danger", "info", "neutral"];

/** Where the system chooses the colours, a canvas has to ask for them by name. */
function forced(fonts: Pick<Palette, "font" | "mono">): Palette {
  const all = Object.fromEntries(Object.keys(ROLES).map((name) => [name, "CanvasText"]));
  const surfaces = {
    page: "Canvas",
    panel: "Canvas",
    sunken: "Canvas",
    selected: "Canvas",
    attentionBack: "Canvas",
  };
  const meaning = Object.fromEntries(MEANINGS.map((role) => [role, "CanvasText"]));
  return { ...all, ...surfaces, accent: "Highlight", meaning, ...fonts } as unknown as Palette;
}

/** Reads the roles as they are now. */
export function paletteOf(element: Element): Palette {
  const style = getComputedStyle(element);
  const read = (name: string) => style.getPropertyValue(name).trim() || "currentColor";
  const font = style.getPropertyValue("font-family") || "sans-serif";
  const mono = style.getPropertyValue("--font-mono").trim() || "monospace";
  if (matchMedia("(forced-colors: active)").matches) return forced({ font, mono });
  const roles = Object.fromEntries(Object.entries(ROLES).map(([name, role]) => [name, read(role)]));
  const meaning = Object.fromEntries(MEANINGS.map((role) => [role, read(`--${role}-fg`)]));
  return { ...roles, meaning, font, mono } as unknown as Palette;
}

const QUERIES = ["(prefers-contrast: more)", "(forced-colors: active)"];

/** Tells when the colours of the page become others; the answer ends it. */
export function watchPalette(changed: () => void): () => void {
  const observer = new MutationObserver(changed);
  observer.observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme", "lang"] });
  const queries = QUERIES.map((query) => matchMedia(query));
  for (const query of queries) query.addEventListener("change", changed);
  return () => {
    observer.disconnect();
    for (const query of queries) query.removeEventListener("change", changed);
  };
}
