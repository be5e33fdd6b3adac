/**
 * The library for sockets, without the native helpers that it looks for.
 *
 * It looks for two packages that nobody installed, in every folder above it and some of the user's, and runs
 * what it finds. A command may be allowed to write to one of those.
 */

const HELPERS = ["WS_NO_BUFFER_UTIL", "WS_NO_UTF_8_VALIDATE"];

let loading: Promise<typeof import("ws")> | undefined;

/** Once a process, by the first that needs it. */
export function loadWs(): Promise<typeof import("ws")> {
  loading ??= withoutHelpers();
  return loading;
}

/** The variables are read while it is loaded, and are no business of anybody who is started later. */
async function withoutHelpers(): Promise<typeof import("ws")> {
  const before = HELPERS.map((name) => [name, process.env[name]] as const);
  for (const name of HELPERS) process.env[name] = "1";
  try {
    return await import("ws");
  } finally {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  }
}
