/** Rows K4, K21 and K22 against the program: a policy that cannot be meant, or not be had, is no policy. */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { Message } from "./support/app-client.ts";
import { AppLab } from "./support/app-lab.ts";
import { askingThread, heardOut } from "./support/asking.ts";
import { caseApp, refusedThread } from "./support/case-app.ts";
import { FULL_ACCESS, READ_ONLY, WORKSPACE_WRITE } from "./support/policies.ts";

/** A policy in so many letters. */
const LONG = `{"type":"workspaceWrite","writableRoots":[${Array.from({ length: 200_000 }, (_, index) => `"/srv/a-long-name-of-a-folder-that-is-not-there-${index}"`).join()}]}`;

const UNREADABLE: readonly (readonly [string, string])[] = [
  ["a key twice", '{"type":"readOnly","type":"dangerFullAccess"}'],
  [
    "a key twice, in another writing",
    String.raw`{"type":"readOnly","t\u0079pe":"dangerFullAccess"}`,
  ],
  ["a prototype", '{"__proto__":{"type":"dangerFullAccess"}}'],
  ["a prototype beside it", '{"type":"readOnly","__proto__":{"type":"dangerFullAccess"}}'],
  ["a constructor", '{"type":"readOnly","constructor":{"prototype":{"type":"x"}}}'],
  ["10 MB of roots", LONG],
  ["a deep nest", `${'{"type":'.repeat(5000)}1${"}".repeat(5000)}`],
];

describe("K21 a policy with", () => {
  const app = caseApp({});

  const METHODS: readonly (readonly [string, (threadId: string) => string])[] = [
    ["thread/start", () => ""],
    ["turn/start", (threadId) => `"threadId":"${threadId}","input":[],`],
    ["thread/settings/update", (threadId) => `"threadId":"${threadId}",`],
    ["command/exec", () => '"command":["true"],'],
  ];

  it.each(UNREADABLE)(
    "%s is refused everywhere, changes nothing and ends nothing",
    async (_, policy) => {
      const { lab, place } = app();
      const client = await lab.client();
      const threadId = await askingThread(client, place);
      const before = await client.ok("thread/loaded/list", {});
      for (const [index, [method, members]] of METHODS.entries()) {
        const id = `raw-${index}`;
        const answer = client.answerTo(id);
        client.raw(
          `{"id":"${id}","method":"${method}","params":{${members(threadId)}"sandboxPolicy":${policy}}}`,
        );
        const { error, result }: Message = await answer;
        expect([method, result]).toEqual([method, undefined]);
        expect([-32600, -32602]).toContain(error?.code);
        expect(error?.message.length).toBeLessThan(2000);
      }
      expect(await client.ok("thread/loaded/list", {})).toEqual(before);
      expect(client.notes.map(({ method }) => method)).not.toContain("thread/settings/updated");
      await heardOut(client);
      const { turn } = await client.turn(threadId, `touch ${place.outside}/k21`);
      expect(turn.status).toBe("completed");
      expect(existsSync(`${place.outside}/k21`)).toBe(false);
    },
  );
});

describe("K22 under a ceiling", () => {
  const folder = mkdtempSync("/var/tmp/writ-ceiling-");
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const modes = path.join(folder, "modes.toml");
  writeFileSync(modes, 'allowed_sandbox_modes = ["read-only", "workspace-write"]\n');
  const profiles = path.join(folder, "profiles.toml");
  writeFileSync(
    profiles,
    'default_permissions = ":read-only"\n[allowed_permission_profiles]\n":read-only" = true\n',
  );

  describe.each([
    ["of modes", modes, { sandboxPolicy: WORKSPACE_WRITE }],
    ["N03 of profiles", profiles, { sandboxPolicy: READ_ONLY }],
  ])("%s", (_, ceiling, allowed) => {
    const app = caseApp({ flags: ["--ceiling", ceiling] });
    const WIDER: readonly object[] = [
      { sandboxPolicy: FULL_ACCESS },
      { sandbox: "danger-full-access" },
      { permissions: ":danger-full-access" },
      { config: { sandbox_mode: "danger-full-access" } },
    ];

    it.each(WIDER)("no thread starts with %j, and none with less instead", async (wider) => {
      const { client, place } = app();
      const error = await refusedThread(client, { cwd: place.workspace, ...wider });
      expect(error.code).toBe(-32600);
    });

    it("K4 a turn and a command of a thread cannot have more, and the thread keeps what it has", async () => {
      const { lab, place } = app();
      const client = await lab.client();
      const { outside } = place;
      const cwd = place.workspace;
      const started = await client.ok("thread/start", { cwd, ...allowed });
      const threadId = started.thread.id;
      const input = [{ type: "text", text: `touch ${outside}/k4`, text_elements: [] }];
      for (const sandboxPolicy of [FULL_ACCESS, { type: "externalSandbox" }]) {
        const calls: readonly (readonly [string, object])[] = [
          ["turn/start", { threadId, input, sandboxPolicy }],
          ["thread/settings/update", { threadId, sandboxPolicy }],
          ["command/exec", { command: ["touch", `${outside}/k4`], sandboxPolicy }],
        ];
        for (const [method, params] of calls) {
          expect((await client.refused(method, params)).code).toBe(-32600);
        }
      }
      await client.turn(threadId, `touch ${outside}/k4`);
      expect(existsSync(`${outside}/k4`)).toBe(false);
      const resumed = await client.ok("thread/resume", { threadId });
      expect(resumed.writ.profileDigest).toBe(started.writ.profileDigest);
    });

    it("a command that is let out of its sandbox is refused all the same", async () => {
      const { lab, place } = app();
      const client = await lab.client();
      client.onAsked = () => ({ result: { decision: "accept" } });
      const threadId = await askingThread(client, place, { sandbox: "read-only" });
      const { items } = await client.turn(threadId, `escalate touch ${place.outside}/out`);
      expect(items.find(({ type }) => type === "commandExecution")?.status).toBe("failed");
      expect(existsSync(`${place.outside}/out`)).toBe(false);
    });

    it("N04 a thread that only reads stays one that only reads", async () => {
      const { client, place } = app();
      const cwd = place.workspace;
      for (const ask of [{ sandbox: "read-only" }, { sandboxPolicy: READ_ONLY }]) {
        const { sandbox, thread } = await client.ok("thread/start", { cwd, ...ask });
        expect(sandbox).toEqual(READ_ONLY);
        await client.turn(thread.id, `touch ${cwd}/n04`);
        expect(existsSync(`${cwd}/n04`)).toBe(false);
      }
    });
  });

  it.each([
    'allowed_sandbox_modes = ["read-only", "workspace-write"]\n',
    'default_permissions = ":workspace"\n[allowed_permission_profiles]\n":workspace" = true\n":read-only" = true\n',
  ])("that was lowered meanwhile no command is let out any more: %j", async (lowered) => {
    const ceiling = path.join(folder, "lowered.toml");
    writeFileSync(ceiling, "");
    const lab = new AppLab({ flags: ["--ceiling", ceiling] });
    const { outside } = lab.place;
    const client = await lab.client();
    client.onAsked = () => ({ result: { decision: "accept" } });
    const threadId = await askingThread(client, lab.place, {
      permissions: ":workspace",
      sandbox: null,
    });
    await client.turn(threadId, `escalate touch ${outside}/before`);
    writeFileSync(ceiling, lowered);
    const { items } = await client.turn(threadId, `escalate touch ${outside}/after`);
    expect(items.find(({ type }) => type === "commandExecution")?.status).toBe("failed");
    expect(["before", "after"].map((name) => existsSync(`${outside}/${name}`))).toEqual([
      true,
      false,
    ]);
  });
});
