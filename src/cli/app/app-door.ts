/**
 * Where an app-server is reached, and what whoever comes has to show.
 *
 * Pure but for the home it looks up: no file is read and nothing is opened.
 */
import path from "node:path";
import {
  type AuthFlags,
  parseListenAddress,
  readAuthFlags,
  refuseOpenListener,
  refuseUnusedAuth,
  type ServerAddress,
} from "../../exec/index.ts";
import { type CliWorld, type FlagValues, UsageError } from "../command.ts";
import { ownHome } from "../policy/bind-flags.ts";

/** What the flags say about the way in. */
export interface AppDoor {
  readonly address: ServerAddress | { readonly kind: "off" };
  readonly auth: ReturnType<typeof readAuthFlags>;
  /** Whether a command in the host's network could come back as a client. */
  readonly reachable: boolean;
  /** Files by which one comes in; no command may see them. */
  readonly secrets: readonly string[];
}

/** Reads `--listen` and `--ws-*`; throws `StartupError` or `UsageError`. */
export function readDoor(flags: FlagValues, world: CliWorld): AppDoor {
  const address = addressOf(flags.listen as string | undefined, world);
  const auth = readAuthFlags(flags as AuthFlags);
  if (address.kind !== "off") {
    refuseOpenListener(address, auth);
    refuseUnusedAuth(address, auth);
  } else if (auth.kind !== "none") {
    throw new UsageError(
      'Cannot use "--ws-auth": nobody is let in with --listen off, expected ws://IP:PORT or unix://PATH',
    );
  }
  return {
    address,
    auth,
    reachable: address.kind === "tcp" && auth.kind === "none",
    secrets: secretsOf(address, auth).map((file) => path.resolve(world.cwd, file)),
  };
}

/** The socket that clients of this user look for when they are told no other. */
export function controlSocket(home: string): string {
  return path.join(home, "app-server-control", "app-server-control.sock");
}

function addressOf(text: string | undefined, world: CliWorld): AppDoor["address"] {
  if (text === "off") return { kind: "off" };
  if (text === "unix://") return { kind: "unix", path: controlSocket(ownHome(world)) };
  if (text !== undefined && !/^(stdio|unix:\/\/|ws:\/\/)/.test(text)) {
    throw new UsageError(`Cannot listen on "${text}": it has none of the known forms, ${FORMS}`);
  }
  return parseListenAddress(text ?? "stdio://");
}

const FORMS = "expected stdio://, ws://IP:PORT, unix://PATH, unix:// or off";

function secretsOf(address: AppDoor["address"], auth: AppDoor["auth"]): string[] {
  return [
    ...(auth.kind === "tokenFile" ? [auth.file] : []),
    ...(auth.kind === "signedToken" ? [auth.secretFile] : []),
    ...(address.kind === "unix" ? [address.path] : []),
  ];
}
