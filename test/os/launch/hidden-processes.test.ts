/** A host may hide the processes of others (`hidepid`): they are not taken for dead, and nothing is taken from them. */
import { spawnSync } from "node:child_process";
import path from "node:path";
import { describe, expect, inject, it } from "vitest";
import { identityOf } from "../../../src/sandbox/placeholders/process-identity.ts";
import { asUser } from "../support/users.ts";

const installed = inject("installedProgram");
const NODE = path.join(installed, "node_modules/.bin/node");
const ASK = `import { livingPid } from ${JSON.stringify(path.join(installed, "dist/sandbox/index.js"))};
console.log(process.argv.slice(1).map((one) => String(livingPid(one))).join(" "));`;

/** What an ordinary user thinks of processes whose `/proc` is mounted like this. */
function judged(options: string, identities: readonly string[]): string {
  const ask = [...asUser("ordinary"), NODE, "--input-type=module", "-e", ASK, ...identities];
  const script = `mount -t proc -o ${options} proc /proc && exec "$@"`;
  const args = ["--mount", "sh", "-c", script, "sh", ...ask];
  const { stdout, stderr } = spawnSync("unshare", args, { cwd: "/", encoding: "utf8" });
  return stdout.trim() || stderr;
}

// Nobody else can hide anything.
describe.each(process.getuid?.() === 0 ? ["hidepid=0", "hidepid=1", "hidepid=2"] : [])(
  "where /proc is mounted with %s",
  (options) => {
    it("a process of another user lives, and one that is over does not", () => {
      const self = identityOf(process.pid) ?? "";
      const { pid: over } = spawnSync("true");
      const gone = self.replace(/^\d+/, String(over));
      const isSeen = options === "hidepid=0";
      expect(judged(options, [self, gone])).toBe(`${isSeen ? process.pid : "elsewhere"} undefined`);
    });
  },
);
