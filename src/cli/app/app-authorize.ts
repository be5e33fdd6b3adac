/**
 * Says of a signed token that was refused which claim it failed by.
 *
 * The verdict is that of the exec layer and never changes. A refused token is
 * looked at again under fewer conditions, only to name the one that was missed.
 */
import { createAuthorize, type loadBearerAuth } from "../../exec/index.ts";

type BearerAuth = ReturnType<typeof loadBearerAuth>;
type SignedToken = Extract<BearerAuth, { kind: "signedToken" }>;
type Authorize = ReturnType<typeof createAuthorize>;
type Upgrade = Parameters<Authorize>[0];

const INVALID = "invalid websocket jwt";

/** The `authorize` hook of an app-server's listener. */
export function createAppAuthorize(auth: BearerAuth, clock: () => number = Date.now): Authorize {
  const authorize = createAuthorize(auth, clock);
  if (auth.kind !== "signedToken") return authorize;
  return async (request) => {
    const verdict = await authorize(request);
    if (verdict.kind === "ok" || verdict.body !== INVALID) return verdict;
    return { ...verdict, body: await reasonOf(request, auth, clock) };
  };
}

async function reasonOf(request: Upgrade, auth: SignedToken, clock: () => number): Promise<string> {
  const under = async (conditions: Partial<SignedToken>) => {
    const verdict = await createAuthorize({ ...auth, ...conditions }, clock)(request);
    return verdict.kind === "ok" ? undefined : verdict.body;
  };
  const anybody = { issuer: undefined, audience: undefined };
  const inTime = await under(anybody);
  if (inTime === undefined) {
    const byIssuer = await under({ audience: undefined });
    return `websocket jwt ${byIssuer === undefined ? "audience" : "issuer"} mismatch`;
  }
  if (inTime !== INVALID) return inTime;
  const anyTime = await under({ ...anybody, clockSkewSeconds: Number.MAX_SAFE_INTEGER });
  return anyTime ?? "websocket jwt is not valid yet";
}
