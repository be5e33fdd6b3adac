/** A file of a sandbox, put on the disk of whoever asks. The same for every provider. */
import fs from "node:fs/promises";
import { type Attempt, attemptError } from "./attempt.ts";
import type { FileRequest, ProvidedSandbox } from "./provided-sandbox.ts";

export interface Download {
  /** In the sandbox. */
  readonly path: string;
  /** On this machine, absolute. Nothing may be there. */
  readonly to: string;
}

/** For nobody but this user: what a sandbox says of modes is no reason to show or to run it here. */
const MODE = 0o600;

/** False where there is no such file. Throws `exists` rather than replace something, and follows no link. */
export async function downloadFile(
  sandbox: Pick<ProvidedSandbox, "readFileToBuffer">,
  { path, to }: Download,
  under: FileRequest,
): Promise<boolean> {
  const content = await sandbox.readFileToBuffer(path, under);
  if (content === null) return false;
  const attempt: Attempt = { verb: "write", thing: to, work: "change" };
  const file = await fs.open(to, "wx", MODE).catch((cause: unknown) => {
    throw attemptError(isTaken(cause) ? TAKEN : UNWRITTEN, attempt, cause);
  });
  try {
    await file.writeFile(content);
  } catch (cause) {
    await fs.rm(to, { force: true });
    throw attemptError(UNWRITTEN, attempt, cause);
  } finally {
    await file.close();
  }
  return true;
}

const TAKEN = ["exists", "something is there already, expected nothing"] as const;
const UNWRITTEN = ["unavailable", "it cannot be written here, expected a place that can"] as const;

function isTaken(cause: unknown): boolean {
  return cause instanceof Error && "code" in cause && cause.code === "EEXIST";
}
