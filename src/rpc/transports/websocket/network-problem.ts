/** What the system says of an address, in words for a person; its code stays, for whoever looks it up. */
export function networkProblem({ code = "", message }: NodeJS.ErrnoException): string {
  const words = WORDS[code];
  return words === undefined ? message : words.replace(",", ` (${code}),`);
}

const WORDS: Readonly<Record<string, string>> = {
  EADDRINUSE: "somebody listens there already, expected an address that is free",
  EADDRNOTAVAIL: "this machine has no such address, expected one of its own",
  EACCES: "this user may not, expected an address that they may use",
  // Where a name means several addresses the message is empty.
  ECONNREFUSED: "nobody listens there, expected a server that runs",
  ENOENT: "there is no such socket, expected that of a server",
  ENOTFOUND: "nobody knows that host, expected one that can be looked up",
  EHOSTUNREACH: "no way leads there, expected a host that can be reached",
  ENETUNREACH: "no way leads there, expected a host that can be reached",
};
