import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { openInput, openOutput } from "../../../../src/sandbox/run/streams/open-pipe.ts";

/** Runs a shell script on pipes and gives back what it printed on each. */
async function run(script: string, typed: string) {
  const [input, output, errors] = [openInput(), openOutput(), openOutput()];
  const stdio = [input.inner, output.inner, errors.inner];
  const child = spawn("/bin/sh", ["-c", script], { stdio });
  for (const fd of stdio) fs.closeSync(fd);
  expect(child.pid).toBeDefined();
  input.outer.end(typed);
  const [stdout, stderr] = await Promise.all([text(output.outer), text(errors.outer)]);
  return { stdout, stderr };
}

describe("openInput and openOutput", () => {
  it("give a command streams that it can open again", async () => {
    const ran = await run("echo one > /dev/stdout; echo two > /dev/stderr; cat /dev/stdin", "in\n");
    expect(ran).toEqual({ stdout: "one\nin\n", stderr: "two\n" });
  });

  it("end for the command when its input ends, and for us when it is over", async () => {
    expect(await run("cat; echo done >&2", "")).toEqual({ stdout: "", stderr: "done\n" });
  });

  it("pass on more than a pipe holds, both ways", async () => {
    const typed = "x".repeat(1 << 20);
    const { stdout } = await run("cat", typed);
    expect(stdout.length).toBe(typed.length);
  });

  it("keep commands apart, however many there are", async () => {
    const all = await Promise.all(Array.from({ length: 40 }, (_, n) => run(`cat; echo ${n}`, "a")));
    expect(all.map(({ stdout }) => stdout)).toEqual(
      Array.from({ length: 40 }, (_, n) => `a${n}\n`),
    );
  });

  it("can be opened again when their writer has left", async () => {
    const ran = await run("sleep 0.2; cat /dev/stdin", "in\n");
    expect(ran).toEqual({ stdout: "in\n", stderr: "" });
  });

  it("have no name that another command could open", () => {
    for (let count = 0; count < 20; count += 1) {
      const { inner, outer } = openOutput();
      expect(fs.readlinkSync(`/proc/self/fd/${inner}`)).toMatch(/^pipe:\[\d+\]$/);
      fs.closeSync(inner);
      outer.destroy();
    }
  });

  it("tell whoever prints that nobody reads any more", async () => {
    const { inner, outer } = openOutput();
    const child = spawn("/bin/sh", ["-c", "sleep 0.2; echo lost"], {
      stdio: ["ignore", inner, "ignore"],
    });
    fs.closeSync(inner);
    outer.destroy();
    expect(await once(child, "exit")).toEqual([null, "SIGPIPE"]);
  });

  it("are never given twice, however fast they are taken", async () => {
    const seen = new Set<string>();
    for (let count = 1; count <= 3000; count += 1) {
      const { inner, outer } = openOutput();
      seen.add(fs.readlinkSync(`/proc/self/fd/${inner}`));
      expect(seen.size).toBe(count);
      fs.closeSync(inner);
      outer.destroy();
      if (count % 7 === 0) await new Promise(setImmediate);
    }
  });
});
