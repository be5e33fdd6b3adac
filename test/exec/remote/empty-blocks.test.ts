import { expect, it } from "vitest";
import type { FileCalls } from "../../../src/exec/remote/files/file-calls.ts";
import { RemoteOpenFile } from "../../../src/exec/remote/files/remote-open-file.ts";
import type { OpenSession } from "../../../src/exec/remote/link/open-session.ts";

it("is not kept asking by a server that sends neither bytes nor an end", async () => {
  let asked = 0;
  const on = async () => {
    asked += 1;
    return { chunk: asked === 1 ? "eA==" : "", eof: false };
  };
  const file = new RemoteOpenFile({ on } as unknown as FileCalls, {} as OpenSession, "handle");
  await expect(file.read(0, 100)).rejects.toMatchObject({ code: "untrustedServer" });
  expect(asked).toBe(2);
});
