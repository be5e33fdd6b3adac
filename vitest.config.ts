import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

/**
 * A busy machine must not fail a test: one may take minutes, and a poll looks for what has to come for
 * longer than the second of Vitest's own.
 */
const patience = {
  testTimeout: 180_000,
  hookTimeout: 180_000,
  expect: { poll: { timeout: 30_000 } },
};

/** Files side by side; Vitest's own choice leaves one processor idle. */
const everyProcessor = availableParallelism();

/** One process for many files: to load the sources anew for each takes longer than the tests. */
const together = {
  isolate: false,
  restoreMocks: true,
  setupFiles: ["test/support/leave-nothing.ts"],
  // Some of them wait for other processes.
  maxWorkers: everyProcessor + 1,
};

/**
 * `unit` is what a change must pass within seconds; `interop` meets programs of other people.
 *
 * Files of a project run side by side, so a test looks only for what is its own: processes by a word or a parent,
 * folders and records by the number of a process.
 */
export default defineConfig({
  test: {
    globalSetup: ["test/support/print-seed.ts"],
    projects: [
      {
        test: {
          name: "unit",
          include: ["test/**/*.test.ts"],
          exclude: ["test/interop/**", "test/contracts/**", "test/os/**", "test/flows/**"],
          ...patience,
          ...together,
        },
      },
      {
        test: {
          name: "os",
          include: ["test/os/**/*.test.ts", "test/flows/**/*.test.ts"],
          globalSetup: ["test/os/support/installed-program.ts"],
          ...patience,
          ...together,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          name: "contracts",
          include: ["test/contracts/**/*.test.ts"],
          ...patience,
          ...together,
        },
      },
      {
        test: {
          name: "interop",
          include: ["test/interop/**/*.test.ts"],
          globalSetup: [
            "test/interop/support/install-codex.ts",
            "test/interop/support/install-mcp.ts",
            "test/interop/support/install-srt.ts",
            "test/interop/support/app-install-providers.ts",
            "test/os/support/installed-program.ts",
          ],
          ...patience,
          maxWorkers: everyProcessor,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});
