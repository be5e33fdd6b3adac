/** A program of its own, to be killed: carries bytes between whoever connects and the port it is given. */
import net from "node:net";

const target = Number(process.argv[2]);

const server = net.createServer((near) => {
  const far = net.connect(target, "127.0.0.1");
  for (const [from, to] of [
    [near, far],
    [far, near],
  ] as const) {
    from.pipe(to);
    from.on("error", () => to.destroy());
    from.on("close", () => to.destroy());
  }
});

server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  process.stdout.write(`${typeof address === "object" ? address?.port : ""}\n`);
});
// Whoever started it is gone.
process.stdin.on("end", () => process.exit()).resume();
