import { identityOf, type ProcessIdentity } from "./process-identity.ts";

let own: ProcessIdentity | undefined;
let names = 0;

/** A name that nobody else has or had: this process, and a number. */
export function newName(): string {
  own ??= identityOf(process.pid);
  names += 1;
  return `${own}-${names}`;
}
