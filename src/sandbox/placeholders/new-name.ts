import { identityOf } from "./process-identity.ts";

let names = 0;

/** A name that nobody else has or had: this process, and a number. */
export function newName(): string {
  names += 1;
  return `${identityOf(process.pid)}-${names}`;
}
