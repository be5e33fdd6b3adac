/**
 * Whether a command finds something of its own at a path and never what the host has there: its own
 * processes, and its own devices. Shared memory is its own too, unless a rule opens that of the host.
 */
export function isCommandsOwn(path: string): boolean {
  return /^\/(proc|dev)(\/|$)/.test(path) && !/^\/dev\/shm(\/|$)/.test(path);
}
