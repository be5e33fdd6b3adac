/**
 * What a filter may answer, as the number that it returns.
 *
 * See seccomp(2): the upper half names the action, the lower half is its errno.
 */
const RETURN_ERRNO = 0x0005_0000;

/** The answers writ's filters give. */
export const ACTION = {
  allow: 0x7fff_0000,
  /** Ends the whole process, not only the thread: half a process is of no use to anyone. */
  kill: 0x8000_0000,
  EPERM: RETURN_ERRNO | 1,
  ENOSYS: RETURN_ERRNO | 38,
  /** Nothing is done, and the caller is told that it was. */
  SUCCESS: RETURN_ERRNO,
} as const;

/** The answers to a call that is not made: an errno, or none. */
export type Refusal = "EPERM" | "ENOSYS" | "SUCCESS";
