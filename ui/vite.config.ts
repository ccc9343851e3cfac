import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig, type Plugin } from "vitest/config";

/** Notes for translators are not for the window. */
const withoutNotes: Plugin = {
  name: "without-notes",
  enforce: "pre",
  transform(code, id) {
    if (!/\/src\/words\/[\w-]+\/[\w-]+\.json$/.test(id)) return null;
    return JSON.stringify(JSON.parse(code), (key, value: unknown) =>
      key.startsWith("_note") ? undefined : value,
    );
  },
};

export default defineConfig({
  plugins: [svelte(), withoutNotes],
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
      output: {
        codeSplitting: {
          // What parts share comes in one file and not in eighty; the views come one by one.
          groups: [
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
    testTimeout: 40_000,
  },
});
