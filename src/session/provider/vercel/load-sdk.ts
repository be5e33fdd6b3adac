/** The SDK of the service. Whoever does not use this provider does not have it, and loads nothing of it. */
import { Refusal } from "../../refusal.ts";

export type VercelSdk = typeof import("@vercel/sandbox");

interface Loaded {
  readonly sdk: VercelSdk;
  readonly version: string;
}

const EXPECTED = 'expected version 3; install it with "npm install @vercel/sandbox@3"';

/** Loads it, and refuses one whose requests nobody looked at. */
export async function loadSdk(load: () => Promise<Loaded> = loadInstalled): Promise<Loaded> {
  const loaded = await load().catch((cause: unknown) => {
    const text = `Cannot use VMs of Vercel: the package "@vercel/sandbox" could not be loaded, ${EXPECTED}`;
    throw new Refusal("unsupported", text, { cause });
  });
  if (/^3\./.test(loaded.version)) return loaded;
  const text = `Cannot use VMs of Vercel: "@vercel/sandbox" is ${loaded.version}, ${EXPECTED}`;
  throw new Refusal("unsupported", text);
}

async function loadInstalled(): Promise<Loaded> {
  const [sdk, { default: manifest }] = await Promise.all([
    import("@vercel/sandbox"),
    import("@vercel/sandbox/package.json", { with: { type: "json" } }),
  ]);
  return { sdk, version: manifest.version };
}
