import { Refusal } from "../refusal.ts";
import type { FileToWrite } from "./provided-sandbox.ts";

const PERMISSION_BITS = 0o777;

/** Throws `invalidInput` where a file is to have a mode that is none. */
export function refuseMode({ path, mode }: FileToWrite): void {
  if (mode === undefined) return;
  if (Number.isInteger(mode) && mode >= 0 && mode <= PERMISSION_BITS) return;
  throw new Refusal(
    "invalidInput",
    `Cannot write "${path}": its mode is ${mode}, expected permission bits up to 0o777`,
  );
}
