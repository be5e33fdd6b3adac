/** --trust and --require-signed end to end: K11, and that nothing unsigned decides how something runs. */
import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { createSigner, type Signer } from "../../../src/exec/index.ts";
import { keyPair } from "../../exec/auth/support/key-files.ts";
import { placeFor, USERS } from "../support/sandbox-user.ts";
import { startLab, uri, WAYS } from "./support/exec-lab.ts";
import type { WireClient, Wired } from "./support/wire-client.ts";
import { workspaceWrite } from "./support/wire-intent.ts";
import { closed, startOf } from "./support/wire-process.ts";

const REFUSED = { code: -32602, data: { field: "writ.signed" } };
const PAIR = keyPair();

/** A server that trusts one key, a connection to it, and a signer with that key. */
async function signedLab(over: (typeof WAYS)[number], required = true) {
  const place = placeFor(USERS[0] ?? "ordinary");
  const [trusted, own] = ["trusted.pem", "own.pem"].map((name) => path.join(place.outside, name));
  if (!trusted || !own) throw new Error("Cannot lay out the test");
  fs.writeFileSync(trusted, PAIR.publicKey.export({ type: "spki", format: "pem" }));
  fs.writeFileSync(own, PAIR.privateKey.export({ type: "pkcs8", format: "pem" }), { mode: 0o600 });
  const flags = [
    "--trust",
    trusted,
    ...(required ? ["--require-signed"] : []),
    "--executor-id",
    "lab",
  ];
  const lab = await startLab({ over, place, flags });
  const client = await lab.connect();
  const { writ } = await client.call<{ writ: { executorId: string; signatures: string } }>(
    "initialize",
    { clientName: "test" },
  );
  client.notify("initialized");
  return {
    place,
    client,
    promise: writ,
    signer: createSigner({ keyFile: own, audience: writ.executorId }),
  };
}

const signedStart = (signer: Signer, params: Wired): Wired =>
  signer.sign({ method: "process/start", params });
const ask = (client: WireClient, params: Wired) => client.tryCall("process/start", params);

describe.each(WAYS)("over %s", (over) => {
  it("runs what a trusted key has signed, once", async () => {
    const { place, client, signer, promise } = await signedLab(over);
    expect(promise).toMatchObject({
      signatures: "required",
      executorId: expect.stringMatching(/^lab\//),
    });
    const params = startOf(place.workspace, "echo ran", {
      sandbox: workspaceWrite([place.workspace]),
    });
    const signed = signedStart(signer, params);
    expect((await ask(client, signed)).error).toBeUndefined();
    expect(await closed(client, params.processId)).toMatchObject({ stdout: "ran\n" });
    const again = await ask(client, signed);
    expect(again.error).toMatchObject({
      ...REFUSED,
      message: expect.stringContaining("used before"),
    });
  });

  it("K11 refuses it unsigned, changed in any part, and signed for another executor", async () => {
    const { place, client, signer } = await signedLab(over);
    const start = () =>
      startOf(place.workspace, "touch ran", { sandbox: workspaceWrite([place.workspace]) });
    expect((await ask(client, start())).error).toMatchObject(REFUSED);
    const changes: readonly Wired[] = [
      { sandbox: null },
      { sandbox: undefined },
      { sandbox: workspaceWrite([place.outside]) },
      { argv: ["/bin/sh", "-c", "touch other"] },
      { cwd: uri(place.outside) },
      { env: { PATH: "/usr/bin:/bin", LD_PRELOAD: "/x" } },
      { processId: "another" },
      { arg0: "x" },
      { tty: true },
      { future: 1 },
    ];
    for (const change of changes) {
      const { error } = await ask(client, { ...signedStart(signer, start()), ...change });
      expect(error, JSON.stringify(change)).toMatchObject(REFUSED);
    }
    const signed = signedStart(signer, start());
    const waived = { ...(signed.writ as Wired), waived: { by: "x", reason: "y" } };
    expect((await ask(client, { ...signed, writ: waived })).error).toMatchObject(REFUSED);
    const raw = JSON.stringify({
      id: 99,
      method: "process/start",
      params: signedStart(signer, start()),
    });
    client.raw(raw.replace('"argv":', '"__proto__":{"arg0":"x"},"argv":'));
    // Not even read: one program could see the member and another not.
    expect((await client.reply(-1)).error).toMatchObject({ code: -32600 });
    expect(fs.readdirSync(place.workspace)).toEqual([]);
    const elsewhere = await signedLab(over);
    expect((await ask(elsewhere.client, signedStart(signer, start()))).error).toMatchObject(
      REFUSED,
    );
  });

  it("refuses unsigned file operations as well, and a signature of another method", async () => {
    const { place, client, signer } = await signedLab(over);
    const params = {
      path: uri(path.join(place.workspace, "f")),
      dataBase64: "eA==",
      sandbox: null,
    };
    expect((await client.tryCall("fs/writeFile", params)).error?.data).toMatchObject({
      field: "writ.signed",
    });
    const other = signer.sign({ method: "fs/readFile", params });
    expect((await client.tryCall("fs/writeFile", other)).error?.data).toMatchObject({
      field: "writ.signed",
    });
    expect(fs.readdirSync(place.workspace)).toEqual([]);
    const signed = signer.sign({ method: "fs/writeFile", params });
    expect((await client.tryCall("fs/writeFile", signed)).result).toEqual({});
  });

  it("with --trust alone takes what is unsigned, and still refuses a signature that is wrong", async () => {
    const { place, client, signer, promise } = await signedLab(over, false);
    expect(promise.signatures).toBe("accepted");
    const params = startOf(place.workspace, "true", { sandbox: null });
    expect((await ask(client, params)).error).toBeUndefined();
    const changed = {
      ...signedStart(signer, startOf(place.workspace, "true", {})),
      argv: ["/bin/false"],
    };
    expect((await ask(client, changed)).error).toMatchObject(REFUSED);
  });
});
