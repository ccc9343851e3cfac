import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { UI } from "./lists";

const css = readFileSync(join(UI, "src/styles/tokens.css"), "utf8");

type Roles = Record<string, string>;

function rolesOf(block: string): Roles {
  const found = [...block.matchAll(/--([\w-]+):\s*(#[0-9a-f]{6})/g)];
  return Object.fromEntries(found.map((match) => [match[1], match[2]]));
}

/** The declarations of a selector, inside or outside of the block for more contrast. */
function block(selector: string, more: boolean): string {
  const at = css.indexOf("@media (prefers-contrast: more)");
  const part = more ? css.slice(at) : css.slice(0, at);
  const start = part.search(new RegExp(`(^|\\n)\\s*${selector.replace(/[[\]]/g, "\\$&")} \\{`));
  return part.slice(start, part.indexOf("}", start));
}

const light = rolesOf(block(":root", false));
const dark = rolesOf(block(':root[data-theme="dark"]', false));
const THEMES: [string, Roles, boolean][] = [
  ["light", light, false],
  ["dark", { ...light, ...dark }, false],
  ["light, more contrast", { ...light, ...rolesOf(block(":root", true)) }, true],
  ["dark, more contrast", { ...light, ...dark, ...rolesOf(block(':root[data-theme="dark"]', true)) }, true],
];

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

describe.each(THEMES)("%s", (_name, roles, more) => {
  const pairs: [string, string, number][] = [
    ...SURFACES.map((surface): [string, string, number] => ["text-primary", surface, 7]),
    ...SURFACES.map((surface): [string, string, number] => ["text-secondary", surface, more ? 7 : 4.5]),
    ...["surface-page", "surface-panel"].map((surface): [string, string, number] => [
      "text-disabled",
      surface,
      3,
    ]),
    ...["surface-page", "surface-panel", "surface-raised"].flatMap((surface): [string, string, number][] => [
      ["text-link", surface, 4.5],
      ["line-control", surface, more ? 4.5 : 3],
      ["line-focus", surface, 3],
      ["text-disabled", surface, more ? 4.5 : 3],
    ]),
    ["text-disabled", "surface-sunken", 3],
    ["text-on-accent", "accent-fill", 4.5],
    ["text-on-accent", "accent-fill-hover", 4.5],
    ...MEANINGS.flatMap((meaning): [string, string, number][] => [
      [`${meaning}-fg`, `${meaning}-bg`, 4.5],
      [`${meaning}-line`, "surface-page", 3],
      ...SURFACES.map((surface): [string, string, number] => [`${meaning}-fg`, surface, 4.5]),
    ]),
    ...["active", "attention", "neutral"].map((meaning): [string, string, number] => [
      `${meaning}-line`,
      "bar-track",
      3,
    ]),
  ];

  it.each(pairs)("%s on %s is at least %d : 1", (front, back, least) => {
    const [a, b] = [roles[front], roles[back]];
    expect(a, front).toBeDefined();
    expect(b, back).toBeDefined();
    expect(contrast(a as string, b as string)).toBeGreaterThanOrEqual(least);
  });
});
