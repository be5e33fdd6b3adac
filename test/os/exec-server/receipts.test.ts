/** Every start and every refused start is on record, with the intent as it travelled. */
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import path from "node:path";
import { describe, expect, it } from "vitest";
import type { Receipt } from "../../../src/sandbox/index.ts";
import { sharedLab, startLab, uri } from "./support/exec-lab.ts";
import { keptReceipts } from "./support/kept-receipts.ts";
import { entry, intent, ROADS, runUnder, workspaceWrite } from "./support/wire-intent.ts";
import { closed, printed, startOf } from "./support/wire-process.ts";

const THREAD = "6f1c1e5e-0000-4000-8000-000000000001";

describe.each(ROADS)("over $over as $user", ({ over, user }) => {
  const lab = sharedLab({ over, user });
  /** What is kept of one process of the server that these tests have in common. */
  const keptOf = (processId: string) =>
    keptReceipts(lab().place).filter(({ ids }) => ids.process === processId);

  it("lists every start and every refusal, and echoes the intent without the variables", async () => {
    const { place, open } = await startLab({ over, user });
    const client = await open();
    const sandbox = {
      ...workspaceWrite([place.workspace], [entry("/orchestrator/arg0", "read")]),
      cwd: uri(place.workspace),
      policyContext: { cwd: uri(place.workspace), workspaceRoots: [uri(place.workspace)] },
      windowsSandboxLevel: "elevated",
      windowsSandboxProxySettingsMode: "reconcile",
      windowsSandboxPrivateDesktop: true,
      useLegacyLandlock: true,
      unturned: [uri(place.workspace)],
    };
    const env = { PATH: "/usr/bin:/bin", API_KEY: "a-secret-of-this-test" };
    const metadata = { threadId: THREAD, toolCallId: "call-1" };
    await runUnder(client, place, { script: "echo ran; exit 3", sandbox, env, metadata });
    const hidden = intent([entry(":minimal", "read")]);
    const refused = await runUnder(client, place, {
      script: "echo ran",
      sandbox: hidden,
      metadata,
    });
    await runUnder(client, place, { script: "true", sandbox: null });
    await runUnder(client, place, { script: "", sandbox: null, argv: ["/nonexistent"] });
    const kept = keptReceipts(place);
    expect(kept.map(({ outcome }) => outcome.kind)).toEqual([
      "notStarted",
      "exited",
      "refused",
      "exited",
    ]);
    const [, waived, refusal, first] = kept;
    expect(first).toMatchObject({
      ids: { thread: THREAD, toolCall: "call-1" },
      command: ["/bin/sh", "-c", "echo ran; exit 3"],
      intent: sandbox,
      notes: [expect.stringContaining("useLegacyLandlock was asked for")],
      outcome: { kind: "exited", code: 3 },
      enforced: { tier: "namespaces", network: "private" },
      waived: null,
    });
    expect(refusal).toMatchObject({
      intent: hidden,
      enforced: null,
      outcome: { code: "unenforceable" },
    });
    expect(refused).toMatchObject({ data: { writ: { receiptId: refusal?.id } } });
    expect(waived).toMatchObject({
      intent: null,
      waived: { by: "client" },
      enforced: { tier: "none" },
    });
    expect(JSON.stringify(kept)).not.toContain("a-secret-of-this-test");
    expect(keptReceipts(place, ["--thread", THREAD])).toHaveLength(2);
  });

  it.each(["disabled", "restricted-token", "elevated", "mxc"])(
    "accepts the Windows level %s, which means nothing here, and keeps it",
    async (windowsSandboxLevel) => {
      const { place, client } = lab();
      const processId = randomUUID();
      const sandbox = { ...workspaceWrite([place.workspace]), windowsSandboxLevel };
      const asked = { script: "echo ran", sandbox, processId };
      const told = await runUnder(await client(), place, asked);
      expect(told).toMatchObject({ stdout: "ran\n", sandboxType: "linuxSeccomp" });
      expect(keptOf(processId)).toMatchObject([{ intent: { windowsSandboxLevel } }]);
    },
  );

  it("comes back with the last event of a process, as it is kept", async () => {
    const { place } = lab();
    const client = await lab().client();
    const params = startOf(place.workspace, "touch /etc/x", {
      sandbox: workspaceWrite([place.workspace]),
    });
    await client.call("process/start", params);
    const { events } = await closed(client, params.processId);
    const writ = events.at(-1)?.params.writ as { readonly receipt: Receipt } | undefined;
    const receipt = writ?.receipt;
    expect(receipt?.denials.listed).not.toEqual([]);
    expect(keptOf(params.processId)).toEqual([receipt]);
  });

  it("keeps who waived the sandbox and why, where the client says so", async () => {
    const { place } = lab();
    const client = await lab().client();
    const [first, second] = [randomUUID(), randomUUID()];
    const writ = { waived: { by: "ada", reason: "approved the command" }, threadId: "t" };
    await runUnder(client, place, { script: "true", sandbox: null, writ, processId: first });
    const by = { waived: { by: "ada", reason: "approved the command" }, ids: { thread: "t" } };
    expect(keptOf(first)).toMatchObject([by]);
    const sandbox = intent({ type: "disabled" });
    await runUnder(client, place, { script: "true", sandbox, processId: second });
    expect(keptOf(second)).toMatchObject([{ waived: { by: "policy" } }]);
  });

  it("says how a process ended that was terminated", async () => {
    const { place } = lab();
    const client = await lab().client();
    const params = startOf(place.workspace, "echo on; sleep 60", {
      sandbox: workspaceWrite([place.workspace]),
    });
    await client.call("process/start", params);
    await printed(client, params.processId, "on");
    await client.call("process/terminate", { processId: params.processId });
    await closed(client, params.processId);
    expect(keptOf(params.processId)).toMatchObject([{ outcome: { kind: "ended" } }]);
  });
});

it("has a receipt of every start of a server that was killed", async () => {
  const { place, open, server } = await startLab();
  const client = await open();
  const params = startOf(place.workspace, "echo on; sleep 60", {
    sandbox: workspaceWrite([place.workspace]),
  });
  await client.call("process/start", params);
  await printed(client, params.processId, "on");
  const exited = once(server, "exit");
  server.kill("SIGKILL");
  await exited;
  const [receipt] = keptReceipts(place);
  expect(receipt).toMatchObject({
    ids: { process: params.processId },
    outcome: { kind: "unknown" },
  });
  expect(path.basename(receipt?.command[0] ?? "")).toBe("sh");
});
