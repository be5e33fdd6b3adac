/** Programs of tests that import the sources, each in one file beside the built program. */
import path from "node:path";

/** By name, below `test/os`. */
export const TEST_PROGRAMS = {
  "alike-driver": "exec-files/support/alike-driver.ts",
  "anchor-server": "anchor/support/anchor-server.ts",
  "command-server": "app-server/support/command-server.ts",
  "fault-client": "exec-server/support/fault-client.ts",
  "fault-proxy": "exec-server/support/fault-proxy.ts",
  "limited-run": "limits/limited-run.ts",
  "repl-driver": "mcp/cases/support/repl-driver.ts",
  "repl-server": "mcp/cases/support/repl-server.ts",
} as const;

export type TestProgram = keyof typeof TEST_PROGRAMS;

/** As deep as what the compiler wrote, since the sources find other files of the program from there. */
export function testProgramsIn(installed: string): string {
  return path.join(installed, "dist/tests");
}

/** Node.js and the program, as the first words of a command. */
export function testProgram(installed: string, name: TestProgram): readonly [string, string] {
  const node = path.join(installed, "node_modules/.bin/node");
  return [node, path.join(testProgramsIn(installed), `${name}.js`)];
}
