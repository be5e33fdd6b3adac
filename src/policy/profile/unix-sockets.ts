/**
 * Which unix sockets a command may have.
 *
 * A socket of another program on the host is a door that no mount closes by
 * being read-only: whoever can connect can ask that program to act. So this is
 * a choice of its own, beside files and network.
 */
import { z } from "zod";

/** From the strictest: none at all (pairs stay), those it makes itself, what its mounts let it reach. */
export const UnixSockets = z.enum(["none", "private", "host"]).meta({
  id: "UnixSockets",
  description:
    "Unix sockets a command may have: none at all, those it makes itself, or those of the host too.",
});
export type UnixSockets = z.infer<typeof UnixSockets>;
