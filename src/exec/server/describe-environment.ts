import fs from "node:fs";
import path from "node:path";
import { type PathUri, uriOfNative } from "../../policy/index.ts";
import type { ExecHost } from "../exec-host.ts";
import type { EnvironmentDescription } from "../protocol/environment-methods.ts";
import { LOOK_RECEIPTS_CAPABILITY } from "../protocol/file-methods.ts";

/** Shells that clients know how to call, the best one first. */
const SHELLS = ["/bin/bash", "/usr/bin/bash", "/bin/zsh", "/bin/sh"];
const KNOWN = new Set(["bash", "zsh", "sh"]);

/** What clients may use; what is not named is not there. */
const CAPABILITIES = {
  networkProxyLaunch: false,
  capabilityDiscoverySandbox: false,
  environmentConfigRead: false,
  sandboxedFileStreaming: true,
  fileWriteStreaming: true,
  fsWatchMissing: true,
  shellSnapshotV2: false,
  [LOOK_RECEIPTS_CAPABILITY]: true,
};

export interface EnvironmentPlace {
  /** The working folder of this process. */
  readonly cwd: string;
  readonly allowHttp: boolean;
}

/** Tells a client about this machine. */
export function describeEnvironment(
  { env, platform }: ExecHost,
  { cwd, allowHttp }: EnvironmentPlace,
): EnvironmentDescription {
  const home = absolute(env.HOME);
  const temporary = absolute(env.TMPDIR);
  return {
    shell: shellOf(env.SHELL),
    cwd: uri(cwd),
    temporaryDirectories: temporary === undefined ? [] : [uri(temporary)],
    tempDir: uri(temporary ?? "/tmp"),
    ...(home !== undefined && { userHomeDir: uri(home) }),
    platformOs: platform === "darwin" ? "macos" : platform,
    capabilities: { ...CAPABILITIES, httpHeaderEnvVars: allowHttp },
  };
}

function shellOf(asked: string | undefined): EnvironmentDescription["shell"] {
  const wanted = asked !== undefined && KNOWN.has(path.basename(asked)) ? [asked] : [];
  const found = [...wanted, ...SHELLS].find((one) => path.isAbsolute(one) && fs.existsSync(one));
  const shell = found ?? "/bin/sh";
  return { name: path.basename(shell), path: shell };
}

function absolute(value: string | undefined): string | undefined {
  return value !== undefined && path.isAbsolute(value) ? value : undefined;
}

function uri(native: string): PathUri {
  return uriOfNative(native);
}
