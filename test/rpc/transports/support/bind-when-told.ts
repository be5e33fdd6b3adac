/** A process that binds a socket file once it is told to, and says how that went. */
import { listenWebSocket } from "../../../../src/rpc/index.ts";

const [file = ""] = process.argv.slice(2);
const address = { kind: "unix", path: file } as const;
const say = (word: string) => process.stdout.write(`${word}\n`);

process.stdin
  .once("data", () => {
    listenWebSocket({ address, accept() {} }).then(
      () => say("bound"),
      (error) => say(error.code),
    );
  })
  .on("end", () => process.exit());
say("ready");
