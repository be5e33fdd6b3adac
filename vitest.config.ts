import { defineConfig } from "vitest/config";

/** How long a poll looks for what has to come; the second of Vitest's own is short on a busy machine. */
const patience = { poll: { timeout: 30_000 } };

/** `unit` is what a change must pass within seconds; `interop` meets programs of other people. */
export default defineConfig({
  test: {
    globalSetup: ["test/support/print-seed.ts"],
    projects: [
      {
        test: {
          name: "unit",
          include: ["test/**/*.test.ts"],
          exclude: ["test/interop/**", "test/contracts/**", "test/os/**", "test/flows/**"],
          // No test asserts on time: a busy machine must not fail one.
          testTimeout: 60_000,
          hookTimeout: 60_000,
          expect: patience,
        },
      },
      {
        // One file at a time: sandboxes with different homes share the host's /tmp.
        test: {
          name: "os",
          include: ["test/os/**/*.test.ts", "test/flows/**/*.test.ts"],
          testTimeout: 120_000,
          hookTimeout: 120_000,
          expect: patience,
          maxWorkers: 1,
        },
      },
      {
        test: {
          name: "contracts",
          include: ["test/contracts/**/*.test.ts"],
          testTimeout: 60_000,
          hookTimeout: 60_000,
          expect: patience,
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
          ],
          testTimeout: 120_000,
          hookTimeout: 120_000,
          expect: patience,
        },
      },
    ],
  },
});
