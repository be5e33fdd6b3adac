import { describe, expect, it } from "vitest";
import { assemble } from "../../../../src/sandbox/linux/seccomp/assemble.ts";
import {
  type FilterQuestion,
  filterFor,
} from "../../../../src/sandbox/linux/seccomp/filter-for.ts";
import { AUDIT_ARCH } from "../../../../src/sandbox/linux/seccomp/seccomp-abi.ts";
import { describeAction } from "./describe-action.ts";
import { runFilter } from "./run-filter.ts";

const NUMBERS = { x64: { socket: 41, socketpair: 53 }, arm64: { socket: 198, socketpair: 199 } };
const [UNIX, INET, INET6, NETLINK] = [1, 2, 10, 16];
const [STREAM, DATAGRAM, RAW, RDM, SEQPACKET, DCCP, PACKET] = [1, 2, 3, 4, 5, 6, 10];
const FLAGS = 0o2000000 | 0o4000;
const UPPER_HALF = 1n << 32n;

const questions = (["x64", "arm64"] as const).flatMap((arch) =>
  (["off", "proxied", "on"] as const).flatMap((network) =>
    (["none", "private", "host"] as const).map((unixSockets) => ({ arch, network, unixSockets })),
  ),
);
/** Where an AF_UNIX socket could reach what the policy does not give. */
const isClosed = ({ network, unixSockets }: FilterQuestion) =>
  unixSockets === "none" || (unixSockets === "private" && network === "on");

describe.each(questions)("sockets on $arch, network $network, AF_UNIX $unixSockets", (question) => {
  const filter = assemble(filterFor(question));
  const ask = (call: "socket" | "socketpair", ...args: (number | bigint)[]) => {
    const { arch } = question;
    return describeAction(
      runFilter(filter, { arch: AUDIT_ARCH[arch], nr: NUMBERS[arch][call], args }),
    );
  };

  it("are TCP and UDP, with flags", () => {
    for (const family of [INET, INET6]) {
      for (const type of [STREAM, DATAGRAM]) {
        expect(ask("socket", family, type)).toBe("allow");
        expect(ask("socket", family, type | FLAGS, 6)).toBe("allow");
      }
    }
  });

  it("are no raw packets and no rare transports", () => {
    for (const family of [INET, INET6]) {
      for (const type of [RAW, RDM, SEQPACKET, DCCP, PACKET]) {
        expect(ask("socket", family, type)).toBe("EPERM");
        expect(ask("socket", family, type | FLAGS)).toBe("EPERM");
      }
    }
  });

  it("are of no rare transport that goes by a common type", () => {
    const [UDPLITE, SCTP, L2TP, SMC, MPTCP, ICMP, ICMP6] = [136, 132, 115, 256, 262, 1, 58];
    for (const family of [INET, INET6]) {
      for (const protocol of [UDPLITE, SCTP, L2TP, SMC, -1]) {
        expect(ask("socket", family, STREAM, protocol)).toBe("EPERM");
        expect(ask("socket", family, DATAGRAM | FLAGS, protocol)).toBe("EPERM");
      }
      expect(ask("socket", family, STREAM, MPTCP)).toBe("allow");
      for (const protocol of [17, ICMP, ICMP6]) {
        expect(ask("socket", family, DATAGRAM, protocol)).toBe("allow");
      }
    }
  });

  it("are of netlink for routes alone", () => {
    expect(ask("socket", NETLINK, RAW, 0)).toBe("allow");
    for (const protocol of [2, 4, 6, 9, 12, 15, 16, 21]) {
      expect(ask("socket", NETLINK, RAW, protocol)).toBe("EPERM");
      expect(ask("socket", NETLINK, DATAGRAM, protocol)).toBe("EPERM");
    }
  });

  it("are of AF_UNIX where those of the host are out of reach or granted", () => {
    for (const type of [STREAM, DATAGRAM, SEQPACKET]) {
      expect(ask("socket", UNIX, type)).toBe(isClosed(question) ? "EPERM" : "allow");
    }
  });

  it("are of no other family", () => {
    const families = Array.from({ length: 64 }, (_, family) => family);
    const others = families.filter((one) => ![UNIX, INET, INET6, NETLINK].includes(one));
    for (const family of [...others, -1, 0x1_0001]) {
      expect(ask("socket", family, STREAM)).toBe("EPERM");
      expect(ask("socketpair", family, STREAM)).toBe("EPERM");
    }
    for (const family of [INET, INET6, NETLINK]) {
      expect(ask("socketpair", family, STREAM)).toBe("EPERM");
    }
  });

  it("are known by the lower half of the family", () => {
    for (const family of [40n, 17n, 38n, 44n]) {
      expect(ask("socket", family | UPPER_HALF, STREAM)).toBe("EPERM");
    }
    expect(ask("socket", BigInt(INET) | UPPER_HALF, STREAM)).toBe("allow");
  });

  it("come in connected pairs always", () => {
    for (const type of [STREAM, SEQPACKET]) {
      expect(ask("socketpair", UNIX, type)).toBe("allow");
      expect(ask("socketpair", UNIX, type | FLAGS)).toBe("allow");
    }
  });

  it("come in pairs that can send elsewhere only where AF_UNIX is open", () => {
    for (const type of [DATAGRAM, DATAGRAM | FLAGS, RAW, RDM, PACKET]) {
      expect(ask("socketpair", UNIX, type)).toBe(isClosed(question) ? "EPERM" : "allow");
    }
  });
});
