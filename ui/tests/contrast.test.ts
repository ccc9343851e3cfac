import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { THEMES, type Theme } from "../src/state/settings.svelte";
import { UI } from "./lists";

const css = readFileSync(join(UI, "src/styles/tokens.css"), "utf8");

type Roles = Record<string, string>;

function rolesOf(block: string): Roles {
  const found = [...block.matchAll(/--([\w-]+):\s*(#[0-9a-f]{6})/g)];
  return Object.fromEntries(found.map((match) => [match[1], match[2]]));
}

/** The declarations of a selector. */
function block(selector: string): string {
  const start = css.indexOf(`\n${selector} {`);
  expect(start, selector).toBeGreaterThanOrEqual(0);
  return css.slice(start, css.indexOf("}", start));
}

const names = (text: string) => [...text.matchAll(/--([\w-]+):/g)].map((match) => match[1]).sort();
const SELECTORS: Readonly<Record<Exclude<Theme, "system">, string>> = {
  light: ":root",
  dark: ':root[data-theme="dark"]',
  "contrast-light": ':root[data-theme="contrast-light"]',
  "contrast-dark": ':root[data-theme="contrast-dark"]',
};
const ALL = Object.entries(SELECTORS).map(([name, selector]) => [name, block(selector)] as const);
const THEMES_ON_SCREEN = ALL.map(
  ([name, text]) => [name, rolesOf(text), name.startsWith("contrast")] as [string, Roles, boolean],
);

it("covers every theme that can be chosen", () => {
  expect(["system", ...Object.keys(SELECTORS)].sort()).toEqual([...THEMES].sort());
});

it.each(ALL)("the theme %s names every role", (_name, text) => {
  expect(names(text)).toEqual(names(ALL[0]![1]));
});

it.each(ALL.filter(([name]) => name.startsWith("contrast")))(
  "nothing is seen through in %s",
  (_name, text) => {
    expect(text).not.toMatch(/rgba?\(|transparent|opacity/);
  },
);

function luminance(hex: string): number {
  const parts = [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16) / 255);
  const [r, g, b] = parts.map((c) => (c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)) as [
    number,
    number,
    number,
  ];
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(a: string, b: string): number {
  const [high, low] = [luminance(a), luminance(b)].sort((x, y) => y - x) as [number, number];
  return (high + 0.05) / (low + 0.05);
}

const MEANINGS = ["accent", "active", "success", "attention", "danger", "info", "neutral"];
const SURFACES = ["page", "panel", "raised", "sunken", "selected", "hover"].map((name) => `surface-${name}`);

describe.each(THEMES_ON_SCREEN)("%s", (_name, roles, more) => {
  const text = more ? 7 : 4.5;
  const line = more ? 4.5 : 3;
  const on = (
    fronts: readonly string[],
    backs: readonly string[],
    least: number,
  ): [string, string, number][] =>
    fronts.flatMap((front) => backs.map((back): [string, string, number] => [front, back, least]));
  const OPEN = ["surface-page", "surface-panel", "surface-raised"];
  const pairs = [
    ...on(["text-primary"], SURFACES, 7),
    ...on(["text-secondary"], SURFACES, text),
    ...on(["text-link"], OPEN, text),
    ...on(["text-disabled"], [...OPEN, "surface-sunken"], more ? 7 : 3),
    ...on(["text-on-accent"], ["accent-fill", "accent-fill-hover"], text),
    ...on(["line-control"], OPEN, line),
    ...on(["line-focus"], SURFACES, line),
    ...(more ? on(["line-subtle", "line-quiet", "line-chosen", "line-button"], OPEN, line) : []),
    ...MEANINGS.flatMap((meaning) => [
      ...on([`${meaning}-fg`], [`${meaning}-bg`, ...SURFACES], text),
      ...on(["text-primary"], [`${meaning}-bg`], 7),
      ...on(["text-secondary"], [`${meaning}-bg`], 4.5),
      ...on([`${meaning}-line`], ["surface-page", "surface-panel"], line),
    ]),
    ...on(["active-line", "attention-line", "neutral-line"], ["bar-track"], 3),
  ];

  it.each(pairs)("%s on %s is at least %d : 1", (front, back, least) => {
    const [a, b] = [roles[front], roles[back]];
    expect(a, front).toBeDefined();
    expect(b, back).toBeDefined();
    expect(contrast(a as string, b as string)).toBeGreaterThanOrEqual(least);
  });
});

/** The line around what is typed into or ticked is how it is found; a button is found by its word. */
it.each([".field", 'input[type="checkbox"],\ninput[type="radio"]'])(
  "%s keeps the line of controls",
  (selector) => {
    const base = readFileSync(join(UI, "src/styles/base.css"), "utf8");
    const start = base.indexOf(`\n${selector} {`);
    expect(start, selector).toBeGreaterThanOrEqual(0);
    expect(base.slice(start, base.indexOf("}", start))).toContain("border: 1px solid var(--line-control)");
  },
);
