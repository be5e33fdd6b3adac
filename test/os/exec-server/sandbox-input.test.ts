/** What a command finds as its input, and how it is called: nothing of the user's runs before it. */
import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { keyPair } from "../../exec/auth/support/key-files.ts";
import { placeFor, USERS } from "../support/sandbox-user.ts";
import { sharedLab, startLab } from "./support/exec-lab.ts";
import { entry, layOut, ROADS, runUnder, workspaceWrite } from "./support/wire-intent.ts";

describe.each(ROADS)("over $over as $user", ({ over, user }) => {
  const lab = sharedLab({ over, user });
  const waysToRun = () => [workspaceWrite([lab().place.workspace]), null];

  it("36 without pipeStdin the input is /dev/null, in a sandbox and without one", async () => {
    const client = await lab().client();
    for (const sandbox of waysToRun()) {
      const script = "cat; [ -c /dev/stdin ] && readlink /proc/self/fd/0";
      const told = await runUnder(client, lab().place, { script, sandbox });
      expect(told).toMatchObject({ stdout: "/dev/null\n", stderr: "" });
    }
  });

  it("36 bash -c does not take its input for a network, and reads no ~/.bashrc", async () => {
    const { place } = lab();
    layOut(place.workspace, { ".bashrc": "echo from bashrc\n" });
    const env = { PATH: "/usr/bin:/bin", HOME: place.workspace };
    const client = await lab().client();
    for (const sandbox of waysToRun()) {
      const asked = { script: "", sandbox, env, argv: ["/bin/bash", "-c", "echo ran"] };
      expect(await runUnder(client, place, asked)).toMatchObject({ stdout: "ran\n", stderr: "" });
    }
  });

  it("51 K17 another name for a program runs nothing of the user's and keeps its variables", async () => {
    const { place } = lab();
    layOut(place.workspace, { ".bashrc": "echo from bashrc\n", "env.sh": "echo from BASH_ENV\n" });
    const env = {
      PATH: "/usr/bin:/bin",
      HOME: place.workspace,
      BASH_ENV: path.join(place.workspace, "env.sh"),
      "BASH_FUNC_shift%%": "() { echo from a function; }",
    };
    const client = await lab().client();
    for (const sandbox of waysToRun()) {
      for (const pipeStdin of [false, true]) {
        const argv = ["/bin/cat", "/proc/self/cmdline"];
        const asked = { script: "", sandbox, env, argv, arg0: "another name", pipeStdin };
        const told = await runUnder(client, place, asked);
        expect(told).toMatchObject({ stdout: "another name\0/proc/self/cmdline\0", stderr: "" });
      }
    }
  });
});

it("keeps the file of trusted keys out of the hands of commands", async () => {
  const place = placeFor(USERS[0] ?? "ordinary");
  const file = path.join(place.workspace, "trusted.pem");
  const pem = keyPair().publicKey.export({ type: "spki", format: "pem" });
  fs.writeFileSync(file, pem);
  const lab = await startLab({ place, flags: ["--trust", file] });
  const sandbox = workspaceWrite([place.workspace], [entry(place.outside, "write")]);
  const script = `echo x >> trusted.pem; rm trusted.pem; mv trusted.pem x`;
  await runUnder(await lab.open(), place, { script, sandbox });
  expect(fs.readFileSync(file, "utf8")).toBe(pem);
});

it("prints the address of a socket file as clients are to give it", async () => {
  const place = placeFor(USERS[0] ?? "ordinary");
  const listen = `unix://${path.join(place.outside, "exec.sock")}`;
  expect((await startLab({ place, listen })).url).toBe(listen);
});
