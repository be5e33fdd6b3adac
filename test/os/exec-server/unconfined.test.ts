/** What an exec-server says to whoever starts it where nothing can be confined. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { expect, it } from "vitest";
import { placeFor, USERS } from "../support/sandbox-user.ts";

/** In a user namespace of its own the kernel lets everybody lower this limit. */
const NO_NAMESPACES = [
  ...["/usr/bin/unshare", "-Ur", "/bin/sh", "-c"],
  'echo 0 >/proc/sys/user/max_user_namespaces && exec "$@"',
  "sh",
];

it.each(USERS)("serves, and says at once that it can confine nothing (%s)", async (user) => {
  const place = placeFor(user);
  const words = place.argv(["exec-server", "--listen", "stdio"]);
  const at = words.findIndex((word) => word.endsWith("/bin/writ"));
  const [program = "", ...args] = [...words.slice(0, at), ...NO_NAMESPACES, ...words.slice(at)];
  const server = spawn(program, args, { cwd: place.workspace, env: place.env });
  const printed = text(server.stdout);
  const [said] = await once(server.stderr.setEncoding("utf8"), "data");
  server.stdin.end();
  const [status] = await once(server, "exit");
  expect(String(said)).toMatch(
    /^writ: Cannot confine commands on this host: .*user namespaces.*writ doctor/,
  );
  expect({ status, printed: await printed }).toEqual({ status: 0, printed: "" });
});
