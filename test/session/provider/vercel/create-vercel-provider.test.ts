/** What the service is told, and what is done before anything runs and when it is over. */
import { existsSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { ReceiptStoreError } from "../../../../src/exec/index.ts";
import { profileDigest, uriOfNative } from "../../../../src/policy/index.ts";
import { createVercelProvider } from "../../../../src/session/provider/vercel/create-vercel-provider.ts";
import { intentOf, NEVER, outcomeOf, wordsOf } from "../support/sandbox-of.ts";
import { refuse, reply } from "./twin/twin-request.ts";
import { TwinVm } from "./twin/twin-vm.ts";
import { ACCOUNT, external, vercelLab, vmIntentIn } from "./twin/vercel-lab.ts";

const { filesUnder, sandboxOf, scriptOf } = wordsOf(vmIntentIn);
const codeOf = (code: string) => ({ name: "SessionError", code });
const as = (thread: string) => ({ thread, signal: NEVER });

describe("a VM that is made", () => {
  it("has the firewall of its policy from the start, and is not kept to be started again", async () => {
    const { twin, provider, workspace } = await vercelLab();
    await sandboxOf(provider, workspace);
    expect(twin.vms[0]?.made).toMatchObject({
      networkPolicy: { allow: ["example.com"] },
      persistent: false,
      timeout: 30 * 60_000,
    });
  });

  it.each<[string, "restricted" | "enabled", string]>([
    ["closed", "restricted", "deny-all"],
    ["open", "enabled", "allow-all"],
  ])("is %s where its network is %s", async (_, kind, mode) => {
    const { twin, provider, workspace } = await vercelLab();
    const intent = intentOf({ ...external, network: { kind } }, workspace);
    await provider.create({ ...as("thread-1"), intent, workspace: uriOfNative(workspace) });
    expect(twin.vms[0]?.made.networkPolicy).toEqual({ mode });
  });

  it("is not made for a thread that starts from a snapshot", async () => {
    const { twin, provider, workspace } = await vercelLab();
    const at = { intent: vmIntentIn(workspace), workspace: uriOfNative(workspace) };
    const creating = provider.create({ ...as("thread-1"), ...at, snapshot: "s" });
    await expect(creating).rejects.toMatchObject(codeOf("unsupported"));
    expect(twin.vms).toEqual([]);
  });

  it("is ended where nobody wants it any more", async () => {
    const { twin, provider, workspace } = await vercelLab();
    const off = new AbortController();
    twin.fault = () => {
      off.abort();
      return undefined;
    };
    const at = { thread: "t", intent: vmIntentIn(workspace), workspace: uriOfNative(workspace) };
    const creating = provider.create({ ...at, signal: off.signal });
    await expect(creating).rejects.toMatchObject(codeOf("aborted"));
    expect(twin.vms.map(({ status }) => status)).toEqual(["stopped"]);
  });

  it("is ended where no answer came, and is asked for once", async () => {
    const { twin, provider, workspace } = await vercelLab();
    twin.fault = (request, response) => {
      if (request.path !== "/v3/sandboxes") return undefined;
      twin.vms.push(new TwinVm(JSON.parse(String(request.bytes)), workspace));
      refuse(response, 503, "internal");
      return "answered";
    };
    await expect(sandboxOf(provider, workspace)).rejects.toMatchObject(codeOf("unavailable"));
    expect(twin.vms.map(({ status }) => status)).toEqual(["stopped"]);
  });

  it("is ended where its folder is another one than the workspace", async () => {
    const { twin, provider, workspace } = await vercelLab();
    twin.workspace = "/vercel/sandbox";
    await expect(sandboxOf(provider, workspace)).rejects.toMatchObject(codeOf("invalidInput"));
    expect(twin.vms.map(({ status }) => status)).toEqual(["stopped"]);
  });

  it("is not called missing where there is no such project", async () => {
    const { twin, provider, workspace } = await vercelLab();
    twin.fault = (_, response) => {
      refuse(response, 404, "not_found");
      return "answered";
    };
    await expect(sandboxOf(provider, workspace)).rejects.toMatchObject(codeOf("unavailable"));
  });

  it("has a thread whose name fits into a tag", async () => {
    const { twin, provider, workspace } = await vercelLab();
    for (const thread of ["", "x".repeat(97)]) {
      const making = sandboxOf(provider, workspace, thread);
      await expect(making).rejects.toMatchObject(codeOf("invalidInput"));
    }
    expect(twin.requests).toEqual([]);
    const { id } = await sandboxOf(provider, workspace, "thread ✓ 1");
    expect((await provider.get(id, as("thread ✓ 1"))).id).toBe(id);
  });
});

describe("before anything happens in a VM", () => {
  it("L3: its firewall is told what the policy says, also where it was told otherwise meanwhile", async () => {
    const { twin, provider, workspace } = await vercelLab();
    const { id } = await sandboxOf(provider, workspace);
    for (const vm of twin.vms) vm.firewall = { mode: "allow-all" };
    const found = await provider.get(id, as("thread-1"));
    twin.requests.length = 0;
    await outcomeOf(await found.runCommand(scriptOf("true", workspace)));
    await found.listDir(".", filesUnder(workspace));
    expect(twin.requests.map(({ path }) => path.split("/").at(-1))).toEqual([
      "network-policy",
      "cmd",
      "cmd",
    ]);
    expect(twin.vms[0]?.firewall).toEqual({ allow: ["example.com"] });
  });

  it.each([
    ["opens more", { mode: "allow-all" }],
    ["says nothing", undefined],
  ])("refuses where the firewall %s", async (_, networkPolicy) => {
    const { twin, provider, workspace } = await vercelLab();
    const sandbox = await sandboxOf(provider, workspace);
    twin.fault = (request, response) => {
      if (!request.path.endsWith("/network-policy")) return undefined;
      reply(response, { session: { ...twin.vms[0]?.described.session, networkPolicy } });
      return "answered";
    };
    const running = sandbox.runCommand(scriptOf("touch ran", workspace));
    await expect(running).rejects.toMatchObject(codeOf("unavailable"));
    const making = sandbox.mkDir("ran", filesUnder(workspace));
    await expect(making).rejects.toMatchObject(codeOf("unavailable"));
    expect(twin.sent("/cmd")).toEqual([]);
    expect(existsSync(path.join(workspace, "ran"))).toBe(false);
  });

  it("puts it on record, or does not run it", async () => {
    const { twin, workspace, receipts } = await vercelLab();
    const full = {
      ended: receipts.ended,
      started: () => {
        throw new ReceiptStoreError("refused", "no room");
      },
    };
    const provider = createVercelProvider({ account: ACCOUNT, receipts: full, fetch: twin.fetch });
    const sandbox = await sandboxOf(provider, workspace);
    const running = sandbox.runCommand(scriptOf("touch ran", workspace));
    await expect(running).rejects.toMatchObject(codeOf("unavailable"));
    expect(twin.sent("/cmd")).toEqual([]);
  });
});

describe("the receipt of a command", () => {
  it("says which policy it was, who kept it and how", async () => {
    const { provider, workspace, receipts } = await vercelLab();
    const sandbox = await sandboxOf(provider, workspace);
    const ids = { call: "call-7", thread: "somebody else's" };
    const command = await sandbox.runCommand(scriptOf("exit 3", workspace, { ids }));
    const { receiptId } = await outcomeOf(command);
    expect(receipts.get(receiptId ?? "")).toMatchObject({
      command: ["/bin/sh", "-c", "exit 3"],
      cwd: workspace,
      ids: { call: "call-7", thread: "thread-1", session: sandbox.id },
      boundDigest: sandbox.boundDigest,
      enforced: { tier: "external", network: "host", unixSockets: "host" },
      notes: [expect.stringContaining("example.com")],
      waived: null,
      outcome: { kind: "exited", code: 3 },
    });
    expect(receipts.get(receiptId ?? "")?.enforced?.backend).toMatch(/^Vercel Sandbox .*3\./);
  });

  it("says that a closed network has nothing in it but a loopback", async () => {
    const { provider, workspace, receipts } = await vercelLab();
    const intent = intentOf(external, workspace);
    const at = { ...as("thread-1"), workspace: uriOfNative(workspace) };
    const sandbox = await provider.create({ ...at, intent });
    await outcomeOf(await sandbox.runCommand(scriptOf("true", workspace, { intent })));
    expect(receipts.list({})).toMatchObject([
      { profileDigest: profileDigest(external), enforced: { network: "private" } },
    ]);
  });

  it("is kept of a refusal too", async () => {
    const { provider, workspace, receipts } = await vercelLab();
    const sandbox = await sandboxOf(provider, workspace);
    const intent = intentOf({ ...external, network: { kind: "enabled" } }, workspace);
    const running = sandbox.runCommand(scriptOf("true", workspace, { intent }));
    await expect(running).rejects.toMatchObject(codeOf("forbidden"));
    expect(receipts.list({})).toMatchObject([{ outcome: { kind: "refused", code: "forbidden" } }]);
  });
});

describe("a VM that is over", () => {
  it("is never started again, whatever is asked of it (L5)", async () => {
    const { twin, provider, workspace, strike } = await vercelLab();
    const { id } = await sandboxOf(provider, workspace);
    await strike(id);
    const found = await provider.get(id, as("thread-1"));
    const under = filesUnder(workspace);
    const outcomes = await Promise.allSettled([
      found.probe(NEVER),
      found.runCommand(scriptOf("true", workspace)),
      found.mkDir("a", under),
      found.writeFiles([{ path: "a", content: Buffer.from("a") }], under),
      found.readFileToBuffer("a", under),
      found.listDir(".", under),
      found.remove(["a"], under),
      found.extendTimeout(1),
    ]);
    for (const outcome of outcomes) expect(outcome).toMatchObject({ reason: codeOf("stopped") });
    await found.stop();
    const looks = twin.requests.filter(({ query }) => query.has("resume"));
    expect(new Set(looks.map(({ query }) => query.get("resume")))).toEqual(new Set(["false"]));
    expect(twin.vms).toHaveLength(1);
  });

  it("is missing where somebody else has started it again", async () => {
    const { provider, workspace } = await vercelLab();
    const { id } = await sandboxOf(provider, workspace);
    const other = id.replace(/@.*/, "@sess_other");
    await expect(provider.get(other, as("thread-1"))).rejects.toMatchObject(codeOf("missing"));
  });

  it.each(["", "sandbox-1", "writ-1", "writ-../x@s", "a@b"])(
    "is missing where %j is no id of one",
    async (id) => {
      const { twin, provider } = await vercelLab();
      await expect(provider.get(id, as("thread-1"))).rejects.toMatchObject(codeOf("missing"));
      expect(twin.requests).toEqual([]);
    },
  );

  it("is waited for until it is, and asked again where that failed", async () => {
    const { twin, provider, workspace } = await vercelLab();
    const sandbox = await sandboxOf(provider, workspace);
    twin.fault = (request, response) => {
      if (!request.path.endsWith("/stop")) return undefined;
      refuse(response, 500, "internal");
      return "answered";
    };
    await expect(sandbox.stop()).rejects.toMatchObject(codeOf("unavailable"));
    const [vm] = twin.vms;
    if (vm === undefined) throw new Error("no VM was made");
    let looks = 0;
    twin.fault = (request, response) => {
      if (request.path.endsWith(vm.name) && ++looks === 2) vm.status = "stopped";
      if (!request.path.endsWith("/stop")) return undefined;
      vm.status = "stopping";
      reply(response, { session: vm.described.session });
      return "answered";
    };
    await sandbox.stop();
    expect(looks).toBe(2);
  });
});

describe("a list", () => {
  it("holds the VMs of this provider and no others", async () => {
    const { twin, provider, workspace, strike } = await vercelLab();
    const [one, other] = [
      await sandboxOf(provider, workspace),
      await sandboxOf(provider, workspace, "thread-2"),
    ];
    const { name: _, ...made } = { ...twin.vms[0]?.made };
    twin.vms.push(new TwinVm({ ...made, name: "writ-of-somebody", tags: {} }, workspace));
    await strike(other.id);
    expect(await provider.list()).toMatchObject([
      { id: one.id, thread: "thread-1", status: "running" },
      { id: other.id, thread: "thread-2", status: "stopped" },
    ]);
    expect(twin.requests.at(-1)?.query.get("namePrefix")).toBe("writ-");
  });
});

describe("output", () => {
  it("arrives whole however much it is, and waits for whoever reads", async () => {
    const { provider, workspace } = await vercelLab();
    const sandbox = await sandboxOf(provider, workspace);
    const script =
      "i=0; while [ $i -lt 20000 ]; do echo line $i ✓; i=$((i + 1)); done; echo err >&2";
    const { stdout, stderr } = await outcomeOf(
      await sandbox.runCommand(scriptOf(script, workspace)),
    );
    expect(stdout.split("\n")).toHaveLength(20_001);
    expect(stdout.endsWith("line 19999 ✓\n")).toBe(true);
    expect(stderr).toBe("err\n");
  });

  it("is let go where nobody reads on", async () => {
    const { provider, workspace } = await vercelLab();
    const sandbox = await sandboxOf(provider, workspace);
    const command = await sandbox.runCommand(scriptOf("seq 1 100000; exit 4", workspace));
    for await (const _ of command.output) break;
    await expect(command.ended).resolves.toMatchObject({ exitCode: 4 });
  });
});

describe("createVercelProvider", () => {
  it.each(["token", "teamId", "projectId"])(
    "refuses an account without %s, and shows nothing of it",
    async (name) => {
      const { receipts } = await vercelLab();
      const account = { ...ACCOUNT, [name]: " " };
      const make = () => createVercelProvider({ account, receipts });
      expect(make).toThrow(expect.objectContaining(codeOf("invalidInput")));
      expect(make).toThrow(
        expect.objectContaining({ message: expect.not.stringContaining(ACCOUNT.token) }),
      );
    },
  );

  it.each([0, -1, 1.5, Number.NaN])("refuses VMs that last %d ms", async (lifetimeMs) => {
    const { receipts } = await vercelLab();
    const make = () => createVercelProvider({ account: ACCOUNT, receipts, lifetimeMs });
    expect(make).toThrow(expect.objectContaining(codeOf("invalidInput")));
  });
});
