import type { Libc } from "./libc.ts";

/** Of structures that C fills: room for those of every C library there is. */
export const STRUCTURE_BYTES = 1024;

/** The numbers of spawn.h, the same in every C library of Linux. */
const FLAGS = { setSignalDefault: 0x04, setSignalMask: 0x08, setSession: 0x80 };
const attributes = new Map<boolean, Buffer>();

/** No signal is ignored or blocked in a child, as Node has it. Made once and never changed. */
export function attributesFor(libc: Libc, detached: boolean): Buffer {
  const made = attributes.get(detached) ?? makeAttributes(libc, detached);
  attributes.set(detached, made);
  return made;
}

function makeAttributes(libc: Libc, detached: boolean): Buffer {
  const [made, every, none] = [0, 0xff, 0].map((bits) => Buffer.alloc(STRUCTURE_BYTES, bits));
  if (!made || !every || !none) throw new RangeError("Cannot start anything: there is no memory");
  libc.posix_spawnattr_init(made);
  // Not by sigfillset(3): that leaves out two of glibc's own, which the child would then ignore.
  libc.posix_spawnattr_setsigdefault(made, every);
  libc.posix_spawnattr_setsigmask(made, none);
  const { setSignalDefault, setSignalMask, setSession } = FLAGS;
  const session = detached ? setSession : 0;
  libc.posix_spawnattr_setflags(made, setSignalDefault | setSignalMask | session);
  return made;
}
