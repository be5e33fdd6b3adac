/** What an interactive shell says when a signal has ended a job: it would set its terminal back, and has none. */
const COMPLAINT = /bash: \[\d+: \d+ \(\d+\)\] tcsetattr: [^\n]*\n/g;
const SIGN = Buffer.from("] tcsetattr: ");

/** What a shell prints to its errors, without what it says of a terminal. */
export function withoutTerminal(bytes: Buffer): Buffer {
  if (!bytes.includes(SIGN)) return bytes;
  return Buffer.from(bytes.toString("latin1").replace(COMPLAINT, ""), "latin1");
}
