/** A remote executor that signs, and a server of ours that takes nothing else. */
import { existsSync } from "node:fs";
import path from "node:path";
import { describe, expect, it, vi } from "vitest";
import { keyId } from "../../../src/exec/auth/trusted-keys.ts";
import { createSignedIntentCheck, createSigner, type Signer } from "../../../src/exec/index.ts";
import { executorOver } from "../../../src/exec/remote/executor-at.ts";
import { uriOfNative } from "../../../src/policy/index.ts";
import { fileOf, keyPair } from "../auth/support/key-files.ts";
import { collected } from "../contract/support/collected.ts";
import { contractPlace, requestOf, WAIVED } from "../contract/support/contract-place.ts";
import { execServer, pipesTo, remoteExecutor } from "../contract/support/our-executors.ts";
import { aRequest, executorOf } from "./support/fake-executor.ts";
import { FakeServer } from "./support/fake-server.ts";

const AUDIENCE = "executor-of-the-test";

function signingPair() {
  const { publicKey, privatePem } = keyPair();
  const keyFile = fileOf(privatePem);
  const check = createSignedIntentCheck({
    keys: new Map([[keyId(publicKey), publicKey]]),
    audience: AUDIENCE,
    unsigned: "refused",
  });
  const server = execServer({ check: (request) => void check(request) });
  const signer = (audience: string): Signer => createSigner({ keyFile, audience });
  return { server, signer };
}

describe("a server that takes only what is signed", () => {
  it("takes what a signer signed for the id that it announced", async () => {
    const { server, signer } = signingPair();
    const executor = await remoteExecutor(executorOver(pipesTo(server)), { signer });
    const place = contractPlace();
    const terminal = { columns: 100, rows: 30 };
    const process = await executor.start(requestOf("stty size", place, { terminal }));
    expect((await collected(process)).pty).toBe("30 100\r\n");
    const at = {
      path: uriOfNative(`${place.workspace}/file`),
      links: "follow",
      sandbox: WAIVED,
      anchor: null,
    } as const;
    await executor.files.writeFile(at, Buffer.from("text"));
    const file = await executor.files.open(at, "read");
    expect(Buffer.from((await file.read(0, 9)).chunk).toString()).toBe("text");
  });

  it.each([
    ["nothing that is not signed", () => undefined],
    [
      "nothing that is signed for another",
      ({ signer }: ReturnType<typeof signingPair>) =>
        () =>
          signer("another-executor"),
    ],
    [
      "nothing that is signed with another key",
      () => (audience: string) => createSigner({ keyFile: fileOf(keyPair().privatePem), audience }),
    ],
  ])("takes %s", async (_, signerOf) => {
    const pair = signingPair();
    const signer = signerOf(pair);
    const executor = await remoteExecutor(executorOver(pipesTo(pair.server)), {
      ...(signer && { signer }),
    });
    const place = contractPlace();
    await expect(executor.start(requestOf("touch ran", place))).rejects.toMatchObject({
      code: expect.stringMatching(/^(notAllowed|invalidRequest)$/),
      message: expect.stringContaining("writ.signed"),
    });
    expect(existsSync(path.join(place.workspace, "ran"))).toBe(false);
  });

  it("is let go of where there is nothing to sign with", async () => {
    const connection = pipesTo(signingPair().server);
    const close = vi.spyOn(connection, "close");
    const signer = (audience: string) => createSigner({ keyFile: "/nope", audience });
    const opened = remoteExecutor(executorOver(connection), { signer });
    await expect(opened).rejects.toThrow('Cannot use "/nope"');
    expect(close).toHaveBeenCalled();
  });
});

describe("anchors of a server that takes only what is signed", () => {
  it("are opened, stocked and compared by whoever signs", async () => {
    const { server, signer } = signingPair();
    const { anchors } = await remoteExecutor(executorOver(pipesTo(server)), { signer });
    if (anchors === undefined) throw new Error("the server has no anchors");
    await anchors.open({ anchorId: "a", ids: {} });
    const write = [{ path: "f", content: Buffer.from("x"), isExecutable: false }];
    await anchors.stock("a", { isEmptied: false, remove: [], write });
    const cwd = uriOfNative(contractPlace().workspace);
    expect(await anchors.compare("a", { intent: WAIVED, base: WAIVED, cwd })).toMatchObject({
      isWithin: true,
    });
  });

  it("are neither opened nor stocked by anybody else", async () => {
    const { server, signer } = signingPair();
    const mine = await remoteExecutor(executorOver(pipesTo(server)), { signer });
    const other = await remoteExecutor(executorOver(pipesTo(server)));
    const refused = { message: expect.stringContaining("writ.signed") };
    await expect(other.anchors?.open({ anchorId: "a", ids: {} })).rejects.toMatchObject(refused);
    const nothing = { isEmptied: true, remove: [], write: [] };
    await expect(other.anchors?.stock("a", nothing)).rejects.toMatchObject(refused);
    await mine.close();
  });
});

describe("a server of others", () => {
  it("gets no signature, which it could not check", async () => {
    const server = new FakeServer();
    server.on("process/start", () => ({ result: { processId: "p1", sandboxType: "none" } }));
    const signer = () => {
      throw new Error("nobody asked for it");
    };
    await (await executorOf(server, { signer })).start(aRequest());
    expect(server.paramsOf("process/start")[0]).not.toHaveProperty("writ");
  });
});
