/** A request to start something, its signer and the executor it is for, on one clock. */
import { keyId, type TrustedKeys } from "../../../../src/exec/auth/trusted-keys.ts";
import { type IntentClaims, signIntent } from "../../../../src/exec/intent/signed-intent.ts";
import {
  createSignedIntentCheck,
  type SignedIntentOptions,
} from "../../../../src/exec/intent/signed-intent-check.ts";
import { keyPair } from "../../auth/support/key-files.ts";

export type Params = Readonly<Record<string, unknown>>;

export const NOW = 1_800_000_000_000;
export const AUDIENCE = "build-1/00112233445566778899aabbccddeeff";
const PAIR = keyPair();
const KEY_ID = keyId(PAIR.publicKey);
export const KEYS: TrustedKeys = new Map([[KEY_ID, PAIR.publicKey]]);

export const START: Params = {
  processId: "1",
  metadata: { threadId: "6f1c1e5e-0000-4000-8000-000000000001", toolCallId: "call-1" },
  argv: ["sh", "-c", "make test"],
  cwd: "file:///srv/app",
  envPolicy: null,
  env: { PATH: "/usr/bin:/bin", CI: "1" },
  tty: false,
  pipeStdin: false,
  arg0: null,
  sandbox: {
    permissions: { type: "managed", file_system: { type: "restricted", entries: [] } },
    cwd: "file:///srv/app",
    workspaceRoots: ["file:///srv/app"],
    windowsSandboxLevel: "disabled",
  },
  enforceManagedNetwork: false,
  writ: { limits: { processes: 64 } },
};

let counter = 0;

/** Claims that hold now, with a nonce of their own. */
export function claims(changes: Partial<IntentClaims> = {}): IntentClaims {
  counter += 1;
  const nonce = counter.toString(16).padStart(32, "0");
  const times = { issuedAt: NOW, expiresAt: NOW + 60_000 };
  return { version: 1, audience: AUDIENCE, nonce, ...times, key: KEY_ID, ...changes };
}

/** Params that are signed, and arrived over a wire. */
export function signed(params: Params = START, changes: Partial<IntentClaims> = {}): Params {
  const request = { method: "process/start", params };
  return overTheWire(signIntent(request, claims(changes), PAIR.privateKey));
}

/** What JSON makes of a value. */
export function overTheWire<T>(value: T): T {
  return JSON.parse(JSON.stringify(value));
}

/** An executor that requires signatures and started at `NOW`; its clock can be set. */
export function executor(options: Partial<SignedIntentOptions> = {}) {
  let now = NOW;
  const check = createSignedIntentCheck({
    keys: KEYS,
    audience: AUDIENCE,
    unsigned: "refused",
    clock: () => now,
    ...options,
  });
  return {
    accept: (params: Params, method = "process/start") => check({ method, params }),
    setClock: (time: number) => {
      now = time;
    },
  };
}
