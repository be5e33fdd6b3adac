import type { appProtocol } from "../../app-server/index.ts";
import type { Client } from "../../rpc/index.ts";

type Calls = Client<typeof appProtocol.toServer>;
type Started = Awaited<ReturnType<Calls["thread"]["start"]>>;

/** What a thread goes on with, as far as a person is told. */
export type ChatSettings = Pick<
  Started,
  "cwd" | "model" | "modelProvider" | "approvalPolicy" | "sandbox" | "writ"
>;
