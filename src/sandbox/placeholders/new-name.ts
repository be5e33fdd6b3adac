import { identityOf, type ProcessIdentity } from "./process-identity.ts";

let own: ProcessIdentity | undefined;
let names = 0;
/** Of this copy of the module: each thread of a process has one, and each package that brings its own. */
const copy = process.hrtime.bigint();

/** A name that nobody else has or had: this process, which copy of this module in it, and a number. */
export function newName(): string {
  own ??= identityOf(process.pid);
  names += 1;
  return `${own}-${copy}-${names}`;
}
