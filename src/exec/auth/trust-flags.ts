import { misusedFlag } from "./startup-error.ts";

export interface TrustFlags {
  readonly "require-signed"?: boolean | undefined;
  readonly trust?: string | undefined;
}

/** Whose signatures count, and whether requests need one. */
export type TrustSettings =
  | { readonly kind: "none" }
  | { readonly kind: "signed"; readonly file: string; readonly unsigned: "allowed" | "refused" };

/** Reads `--require-signed` and `--trust`, or throws `StartupError`. */
export function readTrustFlags({ trust, "require-signed": required }: TrustFlags): TrustSettings {
  if (trust?.trim() === "")
    throw misusedFlag("--trust", "its value is empty, expected a file of keys");
  if (trust !== undefined) {
    return { kind: "signed", file: trust, unsigned: required ? "refused" : "allowed" };
  }
  if (!required) return { kind: "none" };
  throw misusedFlag("--require-signed", "there is nobody to trust, expected --trust KEYFILE");
}
