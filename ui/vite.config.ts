import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig, type Plugin } from "vitest/config";
import { wordsNeeded, type Sections } from "./scripts/first-words";

/** Notes for translators are not for the window. Of English, the words of its start come before the others. */
const wordsOfWindow: Plugin = {
  name: "words-of-window",
  enforce: "pre",
  transform(code, id) {
    const file = /\/src\/words\/[\w-]+\/[\w-]+\.json(?:\?(?:import&)?(first|later))?$/.exec(id);
    if (file === null) return null;
    const half = file[1];
    const sections = JSON.parse(code) as Sections;
    const wanted = half ? wordsNeeded(sections, half === "first") : sections;
    const json = JSON.stringify(wanted, (key, value: unknown) =>
      key.startsWith("_note") ? undefined : value,
    );
    return half ? { code: `export default ${json}`, moduleType: "js" } : json;
  },
};

/** Links the window's styles, which the list as it was left needs, and preloads the window's code. */
const windowAhead: Plugin = {
  name: "window-ahead",
  transformIndexHtml: {
    order: "post",
    handler(_, { bundle = {} }) {
      const chunks = Object.values(bundle).filter((part) => part.type === "chunk");
      const entry = chunks.find((chunk) => chunk.name === "main");
      const parts = chunks.filter((chunk) => chunk === entry || entry?.imports.includes(chunk.fileName));
      const later = parts.filter((chunk) => chunk.name !== "open");
      const styles = later.flatMap((chunk) => [...(chunk.viteMetadata?.importedCss ?? [])]);
      const head = (rel: string, file: string) => ({
        tag: "link",
        attrs: { rel, href: `/${file}` },
        injectTo: "head" as const,
      });
      return [
        ...styles.map((file) => head("stylesheet", file)),
        ...later.map(({ fileName }) => head("modulepreload", fileName)),
      ];
    },
  },
};

export default defineConfig({
  plugins: [svelte(), wordsOfWindow, windowAhead],
  // Vitest would otherwise pick Svelte's server build, which cannot mount.
  resolve: process.env.VITEST ? { conditions: ["browser"] } : {},
  clearScreen: false,
  // The texts of the guide and the changelog are outside of this folder. A single file is compared with what is asked of it.
  server: {
    port: 1420,
    strictPort: true,
    fs: { allow: [".", "../docs", "../CHANGELOG.md", "../CHANGELOG.md?raw"] },
  },
  build: {
    target: "es2022",
    // Inlined data: URLs and preload polyfills would need exceptions in the strict CSP.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      // The page loads main.ts later. As an entry, its imports still count as part of the start.
      input: ["index.html", "src/main.ts"],
      output: {
        codeSplitting: {
          // What parts share comes in one file and not in eighty; the views come one by one.
          groups: [
            // Draws the list as it was left, so it loads first and stays small.
            {
              name: "open",
              test: /\/ui\/src\/(?:open|last-list\/(?:draw|picture))\.ts|vite\/preload-helper/,
              priority: 3,
            },
            { name: "first", test: /\/ui\/src\/|node_modules/, tags: ["$initial"], priority: 2 },
            { name: "shared", test: /\/ui\/src\/(?!words\/)/, minShareCount: 2, priority: 1 },
          ],
        },
      },
    },
  },
  test: {
    environment: "happy-dom",
    include: ["tests/**/*.test.ts"],
    setupFiles: ["tests/setup.ts"],
    // Long enough for a busy machine: the first test of a file loads everything that the page loads later.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    maxWorkers: "100%", // otherwise one core stays idle: half of the time on two
  },
});
