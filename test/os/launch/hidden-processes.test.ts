/** A host may hide the processes of others (`hidepid`): they are not taken for dead, and nothing is taken from them. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { describe, expect, inject, it } from "vitest";
import { identityOf, livingPid } from "../../../src/sandbox/placeholders/process-identity.ts";
import { asUser } from "../support/users.ts";

const installed = inject("installedProgram");
const NODE = path.join(installed, "node_modules/.bin/node");
const ASK = `import { livingPid } from ${JSON.stringify(path.join(installed, "dist/sandbox/index.js"))};
const [self, gone] = process.argv.slice(1);
console.log([livingPid(self, "other"), livingPid(self), livingPid(gone, "other")].join(" "));`;

/** What an ordinary user whose `/proc` is mounted like this thinks of two processes, the first also as if it were its own. */
function judged(options: string, self: string, gone: string): string {
  const ask = [...asUser("ordinary"), NODE, "--input-type=module", "-e", ASK, self, gone];
  const script = `mount -t proc -o ${options} proc /proc && exec "$@"`;
  const args = ["--mount", "sh", "-c", script, "sh", ...ask];
  const { stdout, stderr } = spawnSync("unshare", args, { cwd: "/", encoding: "utf8" });
  return stdout.replace("\n", "") || stderr;
}

describe("a process of one's own", () => {
  it("lives until it is over", async () => {
    const child = spawn("sleep", ["600"]);
    const identity = identityOf(child.pid ?? 0);
    expect(identity && livingPid(identity)).toBe(child.pid);
    child.kill("SIGKILL");
    await once(child, "exit");
    expect(identity && livingPid(identity)).toBe(undefined);
  });
});

// Nobody but root can hide anything.
describe.each(process.getuid?.() === 0 ? ["hidepid=0", "hidepid=1", "hidepid=2"] : [])(
  "where /proc is mounted with %s",
  (options) => {
    it("a process of another user lives, and neither one that is over nor one of ours whose number it would be", () => {
      const self = identityOf(process.pid) ?? "";
      const { pid: over } = spawnSync("true");
      const gone = self.replace(/^\d+/, String(over));
      const { pid } = process;
      const told = options === "hidepid=0" ? `${pid} ${pid} ` : "elsewhere  ";
      expect(judged(options, self, gone)).toBe(told);
    });
  },
);
