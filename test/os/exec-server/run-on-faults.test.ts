/** `writ run --on` where the way to the command is gone, or frozen, while it runs. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it, onTestFinished } from "vitest";
import { type ExecLab, startLab } from "./support/exec-lab.ts";

interface Going {
  readonly client: ChildProcess;
  readonly said: () => string;
  readonly status: Promise<unknown[]>;
}

/** A command that has said that it runs. */
async function going(
  { place, url }: ExecLab,
  then = "exec sleep 300",
  flags: readonly string[] = [],
): Promise<Going> {
  const policy = ["--sandbox", "workspace-write", "-C", place.workspace, ...flags];
  const command = ["sh", "-c", `echo ready; ${then}`];
  const [program = "", ...args] = place.argv(["run", "--on", url, ...policy, "--", ...command]);
  const client = spawn(program, args, {
    cwd: place.workspace,
    env: place.env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  onTestFinished(() => void client.kill("SIGKILL"));
  let said = "";
  client.stderr.on("data", (chunk) => {
    said += String(chunk);
  });
  const status = once(client, "close");
  await once(client.stdout, "data");
  return { client, said: () => said, status };
}

it("does not say that nothing ran where the server is gone for good", async () => {
  const lab = await startLab();
  const { said, status } = await going(lab);
  lab.server.kill("SIGKILL");
  await once(lab.server, "exit");
  // Another one, that knows nothing of the command.
  await startLab({ listen: lab.url, place: lab.place });
  expect(await status).toEqual([1, null]);
  expect(said()).toMatch(/^writ: .*The command had started; how it ended is not known\n$/);
});

it("is ended by a second signal where nobody answers the first", async () => {
  const lab = await startLab();
  const { client, said, status } = await going(lab);
  lab.server.kill("SIGSTOP");
  onTestFinished(() => void lab.server.kill("SIGCONT"));
  client.kill("SIGINT");
  // Half of the time for which the first one alone is waited for: in neither direction a busy machine is late.
  await sleep(3000);
  client.kill("SIGTERM");
  expect(await status).toEqual([143, null]);
  expect(said()).toMatch(
    /^writ: Cannot end the command by SIGTERM: .* It may still run, until .*\n$/,
  );
});

it.each(["SIGTERM", "SIGHUP", "SIGQUIT"] as const)("ends the command by %s", async (signal) => {
  const { client, status } = await going(await startLab());
  client.kill(signal);
  expect(await status).toEqual([137, null]);
});

it.each<[string, string[]]>([
  ["there", []],
  ["there, and was wanted here", ["--receipt", "r.json"]],
])("says that the receipt could not be kept %s", async (_, flags) => {
  const lab = await startLab();
  const { said, status } = await going(lab, "until [ -e go ]; do sleep 0.05; done; exit 4", flags);
  const store = path.join(lab.place.env.WRIT_HOME ?? "", "receipts.sqlite");
  fs.renameSync(store, `${store}.old`);
  fs.writeFileSync(path.join(lab.place.workspace, "go"), "");
  expect(await status).toEqual([1, null]);
  expect(said()).toMatch(
    /^writ: Cannot write to ".*receipts\.sqlite": it was moved or removed,.*\n$/,
  );
});

it("says that the receipt could not be written here, and not that the command line was wrong", async () => {
  const lab = await startLab();
  const { workspace } = lab.place;
  const flags = ["--receipt", path.join(workspace, "r.json")];
  const { said, status } = await going(lab, "mkdir -p r.json/x; exit 7", flags);
  expect(await status).toEqual([1, null]);
  expect(said()).toMatch(/^writ: Cannot write the receipt: .*\n$/);
});
