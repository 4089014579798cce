import { defineConfig } from "vitest/config";
import { plainImports } from "./plain-imports.ts";
import { tightStyles } from "./tight-styles.ts";
import { tightTemplates } from "./tight-templates.ts";

/** Long, so that no test fails for a machine that is busy with other things. */
const PATIENCE = 180_000;

export default defineConfig({
  // Relative addresses, so that the service may live under any base path.
  base: "./",
  plugins: [tightStyles(), tightTemplates(), plainImports()],
  build: {
    outDir: "built",
    emptyOutDir: true,
    manifest: true,
    target: "es2022",
    // light-dark() as it is: written out for older browsers it would ask the root's colour scheme, where a guest has no say.
    cssTarget: ["chrome123", "edge123", "firefox120", "safari17.5"],
    rollupOptions: {
      input: ["src/main.ts", "src/standalone.ts"],
      // One file for all that every page needs: a shared piece by itself costs more than it spares.
      output: { codeSplitting: { groups: [{ name: "player", test: /src\/element\/(player|elements)\.ts$/ }] } },
    },
    modulePreload: false,
  },
  worker: { format: "es" },
  test: {
    projects: [
      {
        extends: true,
        test: {
          name: "unit",
          include: ["tests/**/*.test.ts"],
          exclude: ["tests/browser/**", "tests/bench/**"],
          environment: "node",
          testTimeout: PATIENCE,
          hookTimeout: PATIENCE,
        },
      },
      {
        extends: true,
        test: {
          name: "browser",
          globalSetup: "tests/browser/service.ts",
          include: ["tests/browser/**/*.test.ts"],
          environment: "node",
          testTimeout: PATIENCE,
          hookTimeout: PATIENCE,
          maxWorkers: 2,
          expect: { poll: { timeout: PATIENCE / 3 } },
          // A loaded machine may take a moment longer than a step of a test allows; what passed only at the second try is
          // marked as such in the report, to be traced.
          retry: 1,
        },
      },
      {
        extends: true,
        test: {
          name: "bench",
          globalSetup: "tests/browser/service.ts",
          include: ["tests/bench/**/*.bench.ts"],
          environment: "node",
          hookTimeout: PATIENCE,
          fileParallelism: false,
        },
      },
    ],
  },
});
