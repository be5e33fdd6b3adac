/** What somebody has who installs the package, on a machine with any Node. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { connectSecond } from "../support/mcp-clients.ts";
import { type InstalledPackage, installPackage } from "./support/installed-package.ts";

const PLATFORM = `node-linux-${process.arch}`;
/** What is looked for by its name, by us or by a package of ours. */
const PLANTED = ["koffi", `@koromix/koffi-linux-${process.arch}`, "bufferutil", "utf-8-validate"];
const INSTALL_MS = 600_000;
let place: InstalledPackage;
let firstStart: ReturnType<InstalledPackage["npx"]>;
let nodeOfMachine: number;

beforeAll(() => {
  place = installPackage();
  nodeOfMachine = Number.parseInt(place.npx(["node", "--version"]).stdout.slice(1), 10);
  firstStart = place.npx(["writ", "doctor"]);
  place.npmInstall(`${PLATFORM}@24`);
}, INSTALL_MS);
afterAll(() => place.remove());

const inProject = (name: string) => path.join(place.project, name);
const sh = (mode: string, script: string) =>
  place.npx(["writ", "run", "--sandbox", mode, "--", "sh", "-c", script]);

describe("npx writ", () => {
  it("starts on the Node of the machine, or says which package brings another", () => {
    const { status, stderr } = firstStart;
    const remedy = `expected version 24 or newer\nRun: npm install ${PLATFORM}@24, then start it with npx`;
    if (nodeOfMachine >= 24) expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    else expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringContaining(remedy) });
  });

  it("doctor says that commands can be confined", () => {
    const { status, stdout } = place.npx(["writ", "doctor"]);
    expect(stdout).toContain("Commands can be confined on this host");
    expect(status).toBe(0);
  });

  it("run lets a command write where the policy says, and nowhere else", () => {
    expect(sh("workspace-write", "echo in > in.txt").status).toBe(0);
    expect(readFileSync(inProject("in.txt"), "utf8")).toBe("in\n");
    const denied = sh("workspace-write", `echo out > ${place.outside}/out.txt`);
    expect(denied.status).not.toBe(0);
    expect(sh("read-only", "echo more >> in.txt").status).not.toBe(0);
    expect(readFileSync(inProject("in.txt"), "utf8")).toBe("in\n");
    expect(readdirSync(place.outside)).toEqual([]);
  });

  it("run lets no command change the program, its Node or its native parts for the next one", () => {
    const parts = [
      ...["writ/bin/writ", "writ/dist/bin/main.js", "writ/package.json"],
      ...[`${PLATFORM}/bin/node`, "@lydell/node-pty/index.js", "koffi/index.js"],
    ].map((part) => `node_modules/${part}`);
    expect(parts.filter((part) => !existsSync(inProject(part)))).toEqual([]);
    const tries = parts.flatMap((part) => [`: >> ${part}`, `rm ${part}`, `mv ${part} ${part}.old`]);
    const script = tries.map((one) => `(${one}) 2>/dev/null && echo "${one}"`).join("; ");
    expect(sh("workspace-write", `${script}; echo tried`).stdout).toBe("tried\n");
    expect(sh("workspace-write", "mv node_modules others").status).not.toBe(0);
    expect(place.npx(["writ", "--version"]).status).toBe(0);
  });

  it("run lets no command bring a native part that was left out", () => {
    renameSync(inProject("node_modules/koffi"), inProject("put-away"));
    onTestFinished(() => renameSync(inProject("put-away"), inProject("node_modules/koffi")));
    const plant = "mkdir -p node_modules/koffi; : > node_modules/koffi/index.js";
    expect(sh("workspace-write", plant).status).not.toBe(0);
    expect(existsSync(inProject("node_modules/koffi"))).toBe(false);
  });

  it("repl keeps an interpreter from call to call, in its sandbox", async () => {
    const argv = ["npx", "writ", "repl", "--language", "python", "--sandbox", "read-only"];
    const client = await connectSecond({ argv, cwd: place.project, env: place.env });
    const cell = async (input: string) => {
      const { content } = await client.call("repl", { input });
      return content.map(({ text }) => text).join("");
    };
    await cell("x = 6");
    expect(await cell("print(x * 7)")).toContain("42");
    expect(await cell("open('cell.txt', 'w')")).toMatch(/Read-only file system/);
    expect(existsSync(inProject("cell.txt"))).toBe(false);
  });

  it("exec-server runs a command over a WebSocket, under the policy that came with it", async () => {
    const here = { cwd: place.project, env: place.env, detached: true };
    const server = spawn("npx", ["writ", "exec-server"], here);
    onTestFinished(() => ended(server));
    const address = await firstLine(server);
    expect(address).toMatch(/^ws:\/\/127\.0\.0\.1:\d+$/);
    const on = (mode: string, script: string) =>
      place.npx(["writ", "run", "--on", address, "--sandbox", mode, "--", "sh", "-c", script]);
    expect(on("read-only", "echo $((6 * 7))")).toMatchObject({ status: 0, stdout: "42\n" });
    expect(on("read-only", "echo a > over-ws.txt").status).not.toBe(0);
    expect(existsSync(inProject("over-ws.txt"))).toBe(false);
    expect(on("workspace-write", "echo a > over-ws.txt").status).toBe(0);
    expect(readFileSync(inProject("over-ws.txt"), "utf8")).toBe("a\n");
  });

  it("exec-server runs nothing that lies where Node looks for packages, but for its own", async () => {
    for (const [index, part] of ["koffi", "@koromix"].entries()) {
      const [from, to] = [inProject(`node_modules/${part}`), inProject(`put-away-${index}`)];
      renameSync(from, to);
      onTestFinished(() => renameSync(to, from));
    }
    const mark = path.join(place.outside, "ran");
    const homes = [
      path.join(place.env.HOME ?? "", ".node_modules"),
      path.join(place.project, "../node_modules"),
    ];
    for (const [folder, name] of homes.flatMap((one) => PLANTED.map((part) => [one, part]))) {
      const planted = path.join(folder ?? "", name ?? "");
      mkdirSync(planted, { recursive: true });
      writeFileSync(
        path.join(planted, "index.js"),
        `require("fs").writeFileSync(${JSON.stringify(mark)}, "${name}")`,
      );
    }
    onTestFinished(() => {
      for (const one of [...homes, mark]) rmSync(one, { recursive: true, force: true });
    });
    const here = { cwd: place.project, env: place.env, detached: true };
    const server = spawn("npx", ["writ", "exec-server"], here);
    onTestFinished(() => ended(server));
    const address = await firstLine(server);
    const on = ["writ", "run", "--on", address, "--sandbox", "read-only", "--", "echo", "hi"];
    // Native parts are looked for a moment after the first command.
    for (let count = 0; count < 2; count += 1) expect(place.npx(on).stdout).toBe("hi\n");
    expect(existsSync(mark)).toBe(false);
  });

  it("chat runs the lines of a pipe, each under the policy of its turn", () => {
    const lines = ["touch chat.txt", "/policy workspace-write", "touch chat.txt", "ls chat.txt"];
    const { status, stdout } = place.npx(["writ", "chat"], `${lines.join("\n")}\n`);
    expect(stdout).toMatch(/Probably denied: to write [\s\S]*\| chat\.txt\n/);
    expect(status).toBe(0);
    expect(existsSync(inProject("chat.txt"))).toBe(true);
  });

  it.each([
    ["run --tty", ["run", "--tty", "--sandbox", "read-only", "--", "true"], "@lydell", 125],
    ["repl --language r", ["repl", "--language", "r"], "koffi", 2],
  ])("%s says which optional part is missing, and what to run", (_, args, part, expected) => {
    const name = part === "@lydell" ? "@lydell/node-pty" : part;
    renameSync(inProject(`node_modules/${part}`), inProject("put-away"));
    onTestFinished(() => renameSync(inProject("put-away"), inProject(`node_modules/${part}`)));
    const { status, stderr } = place.npx(["writ", ...args]);
    expect(stderr).toContain(`the package ${name} is not installed. Run: npm install ${name}`);
    expect(status).toBe(expected);
  });
});

/** What the types are there to find: a sandbox without a policy, an access there is not, a start without an intent. */
const MISTAKES = [
  'import { openSandbox } from "writ";',
  'import type { Executor } from "writ/exec";',
  'import type { Access } from "writ/policy";',
  'void openSandbox({ workspace: "/repo", home: "/home" });',
  'export const access: Access = "execute";',
  'export const start = (on: Executor) => on.start({ processId: "p", argv: ["true"] });',
];

describe("the library", () => {
  it.each([
    ["nodenext", "nodenext"],
    ["bundler", "preserve"],
  ])(
    "has types for a strict project that resolves as %s and checks them all",
    (resolution, module) => {
      const options = {
        ...{ strict: true, skipLibCheck: false, noEmit: true, target: "es2024", types: ["node"] },
        ...{ module, moduleResolution: resolution, exactOptionalPropertyTypes: true },
      };
      const files = ["consumer.ts", "mistakes.ts"];
      writeFileSync(
        inProject("tsconfig.json"),
        JSON.stringify({ compilerOptions: options, files }),
      );
      writeFileSync(inProject("mistakes.ts"), MISTAKES.join("\n"));
      const found = place.npx(["tsc", "-p", "."]).stdout.trim().split("\n");
      expect(found.map((line) => line.replace(/,.*/, ""))).toEqual([
        ...["mistakes.ts(4", "mistakes.ts(5", "mistakes.ts(6"],
      ]);
    },
  );

  it("does behind each door what it says, and asks for a model's package when one is asked", () => {
    const home = path.join(place.env.HOME ?? "", ".writ");
    const { status, stdout, stderr } = place.npx(["node", "consumer.ts", place.outside, home]);
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(JSON.parse(stdout)).toEqual({
      denied: true,
      model: expect.stringContaining("Run: npm install @ai-sdk/openai-compatible@3"),
      tier: "namespaces",
      ceilings: [],
      state: "refused",
      within: true,
      read: [1],
      methods: [true, true],
      items: false,
      others: ["function", "function"],
    });
    expect(existsSync(inProject("in-workspace-write.txt"))).toBe(true);
    expect(readdirSync(place.outside)).toEqual([]);
  });
});

async function firstLine({ stdout }: ChildProcess): Promise<string> {
  if (stdout === null) throw new Error("Cannot read what it prints");
  const [line] = await once(createInterface(stdout), "line");
  return String(line);
}

/** With all that it started: npx itself passes no signal on. */
async function ended(program: ChildProcess): Promise<void> {
  const over = once(program, "close");
  if (program.pid !== undefined) process.kill(-program.pid, "SIGTERM");
  await over;
}
