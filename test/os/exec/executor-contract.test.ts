/** Every executor of ours by one table: nobody can tell from it where a command runs. */
import { executorAt, executorOver } from "../../../src/exec/remote/executor-at.ts";
import { executorContract } from "../../exec/contract/executor-contract.ts";
import {
  execServer,
  listening,
  localExecutor,
  pipesTo,
  remoteExecutor,
} from "../../exec/contract/support/our-executors.ts";

const ALL_OF_IT = {
  receipts: true,
  sizes: true,
  trapsInSandbox: true,
  endsInput: true,
  interruptsAlone: true,
  anchors: true,
  allOfFiles: true,
};

executorContract("this machine", async () => localExecutor().executor, ALL_OF_IT);

executorContract(
  "a server of ours over a WebSocket",
  async () => remoteExecutor(executorAt(await listening(execServer()))),
  ALL_OF_IT,
);

executorContract(
  "a server of ours over pipes",
  async () => remoteExecutor(executorOver(pipesTo(execServer()))),
  ALL_OF_IT,
);
