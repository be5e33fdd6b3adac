import type { z } from "zod";
import type { Handlers } from "../../../rpc/index.ts";
import type { ShelvedFile } from "../../anchors/shelf-change.ts";
import { ExecError } from "../../exec-error.ts";
import { intentOfWire } from "../../intent/intent-of-wire.ts";
import type { SandboxIntent } from "../../intent/sandbox-intent.ts";
import type { anchorMethods } from "../../protocol/anchor-methods.ts";
import { decodeBase64 } from "../decode-base64.ts";
import type { ExecConnection } from "../exec-connection.ts";
import { toRpcError } from "../to-rpc-error.ts";

type WrittenFile = z.output<(typeof anchorMethods)["stock"]["params"]>["write"][number];
type AnchorHandlers = Handlers<typeof anchorMethods, ExecConnection>;

/** What a client may do with the anchors of its session. */
export const anchorHandlers: AnchorHandlers = {
  open: ({ base, writ: _, ...request }, { session }) =>
    told(() => session.anchors.open({ ...request, base: mostOf(base) })),
  find: ({ anchorId }, { session }) => told(() => session.anchors.find(anchorId)),
  list: (_, { session }) => told(async () => ({ anchors: [...(await session.anchors.list())] })),
  close: ({ anchorId }, { session }) =>
    told(async () => ({ closed: await session.anchors.close(anchorId) })),
  stock: ({ anchorId, write, remove, isEmptied }, { session }) =>
    told(async () => {
      await session.anchors.stock(anchorId, { remove, isEmptied, write: write.map(shelvedFile) });
      return {};
    }),
  compare: ({ anchorId, cwd, sandbox, base }, { session }) =>
    told(() => {
      const intent = intentOfWire(sandbox, CLIENT);
      return session.anchors.compare(anchorId, { intent, base: intentOfWire(base, CLIENT), cwd });
    }),
};

/** Whose word it is that there is to be no sandbox. */
const CLIENT = "client";

/** Here nothing is no waiver: it is no bound. */
function mostOf(base: unknown): SandboxIntent | undefined {
  return base === undefined || base === null ? undefined : intentOfWire(base, CLIENT);
}

function shelvedFile({ path, dataBase64, isExecutable }: WrittenFile): ShelvedFile {
  const refuse = (why: string) =>
    new ExecError("invalidRequest", `Cannot put "${path}" on a shelf: it is no base64: ${why}`);
  return { path, content: decodeBase64(dataBase64, refuse), isExecutable };
}

async function told<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw toRpcError(error);
  }
}
