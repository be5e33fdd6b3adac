import { makeFolder, SandboxError } from "../sandbox/index.ts";

/** Makes the folder for what is writ's own: it has to be there to be hidden from commands. */
export function makeHome(home: string): void {
  try {
    makeFolder(home);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new SandboxError(
      "unprotectablePath",
      `Cannot make "${home}" for writ's own settings: ${why}, expected a folder. Set WRIT_HOME to one that you can write, or "home" in a program`,
      { cause },
    );
  }
}
