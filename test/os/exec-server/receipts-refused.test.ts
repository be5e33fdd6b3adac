/** Starts that never come to the executor are on record, too. */
import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { keyPair } from "../../exec/auth/support/key-files.ts";
import { placeFor, USERS } from "../support/sandbox-user.ts";
import { startLab, uri, WAYS } from "./support/exec-lab.ts";
import { keptReceipts } from "./support/kept-receipts.ts";
import { runUnder, workspaceWrite } from "./support/wire-intent.ts";

describe.each(WAYS)("over %s", (over) => {
  it.each([
    ["a member that cannot be kept", { enforceManagedNetwork: true }],
    ["a proxy", { networkProxy: { proxy: { enabled: true } } }],
    ["a sandbox that cannot be read", { sandbox: { permissions: { type: "open" } } }],
    ["a waiver beside a sandbox", { writ: { waived: { by: "x", reason: "y" } } }],
  ])("keeps a refusal for %s", async (_, more) => {
    const { place, open } = await startLab({ over });
    const metadata = { threadId: "6f1c1e5e-0000-4000-8000-000000000001", toolCallId: "call" };
    const asked = {
      script: "echo ran",
      sandbox: workspaceWrite([place.workspace]),
      metadata,
      ...more,
    };
    const told = await runUnder(await open(), place, asked);
    const [receipt, ...others] = keptReceipts(place);
    expect(others).toEqual([]);
    expect(told).toMatchObject({ code: -32602, data: { writ: { receiptId: receipt?.id } } });
    expect(receipt).toMatchObject({
      command: ["/bin/sh", "-c", "echo ran"],
      intent: asked.sandbox,
      enforced: null,
      outcome: { kind: "refused", code: "invalidRequest" },
    });
  });

  it("says in place of a sandbox why it is not kept", async () => {
    const { place, open } = await startLab({ over });
    const client = await open();
    const long = { permissions: "x".repeat(300_000) };
    for (const sandbox of ["none", long]) {
      await runUnder(client, place, { script: "echo ran", sandbox });
    }
    expect(keptReceipts(place).map(({ intent }) => intent)).toEqual([
      { omitted: "it has 300018 characters" },
      { omitted: "it is no object" },
    ]);
  });

  it("keeps a refusal of what nobody has signed, whatever its members are", async () => {
    const place = placeFor(USERS[0] ?? "ordinary");
    const file = path.join(place.outside, "trusted.pem");
    fs.writeFileSync(file, keyPair().publicKey.export({ type: "spki", format: "pem" }));
    const { open } = await startLab({ over, place, flags: ["--trust", file, "--require-signed"] });
    const client = await open();
    const odd = [
      { argv: [1, {}], cwd: 7, sandbox: [] },
      { argv: "x", processId: null, writ: 1 },
      {},
    ];
    for (const params of [...odd, null]) {
      expect((await client.tryCall("process/start", params)).error).toBeDefined();
    }
    const sandbox = workspaceWrite([place.workspace]);
    await runUnder(client, place, { script: "echo ran", sandbox });
    const kept = keptReceipts(place);
    expect(kept[0]).toMatchObject({
      command: ["/bin/sh", "-c", "echo ran"],
      intent: sandbox,
      outcome: { kind: "refused" },
    });
    expect(kept.every(({ outcome }) => outcome.kind === "refused")).toBe(true);
  });
});

describe.each(USERS)("as %s", (user) => {
  it.each([
    ["leads in a circle", "circle", "ELOOP"],
    ["has a name that no folder can have", "x".repeat(300), "ENAMETOOLONG"],
  ])(
    "keeps a refusal of a working directory that %s, with or without a sandbox",
    async (_, name, code) => {
      const { place, open } = await startLab({ user });
      fs.symlinkSync("circle", path.join(place.workspace, "circle"));
      const client = await open();
      for (const sandbox of [workspaceWrite([place.workspace]), null]) {
        const cwd = uri(path.join(place.workspace, name));
        const told = await runUnder(client, place, { script: "echo ran", sandbox, cwd });
        const [receipt] = keptReceipts(place);
        expect(told).toMatchObject({ data: { writ: { receiptId: receipt?.id } } });
        expect(receipt?.outcome).toMatchObject({ kind: "refused", code: "spawnFailed" });
        expect(JSON.stringify(told)).toContain(`: ${code}: `);
      }
      expect(keptReceipts(place)).toHaveLength(2);
    },
  );
});
