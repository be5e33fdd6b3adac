/**
 * Which sockets a command may make.
 *
 * Families that reach the host past its network namespace or its firewall, or that only widen the
 * kernel's surface (AF_VSOCK, AF_PACKET, AF_ALG, AF_XDP, AF_BLUETOOTH, …), are refused by not being
 * named. A filter cannot see the address a socket is used with: what a command may reach by it is
 * for mounts and network namespaces to decide.
 */
import { ACTION } from "./action.ts";
import type { Step } from "./assemble.ts";
import { argumentOffset, type LinuxArch } from "./seccomp-abi.ts";

const FAMILY = { unix: 1, inet: 2, inet6: 10, netlink: 16 } as const;
const TYPE = { stream: 1, datagram: 2, seqpacket: 5 } as const;
/** What programs ask for by number; `ping` and newer servers need more than TCP and UDP. */
const PROTOCOL = { any: 0, tcp: 6, udp: 17, icmp: 1, icmp6: 58, mptcp: 262 } as const;
/** SOCK_TYPE_MASK: the rest of the argument holds SOCK_CLOEXEC and SOCK_NONBLOCK. */
const TYPE_MASK = 0xf;
/** `os.networkInterfaces()` and `getifaddrs` need it; changing routes takes a capability. */
const NETLINK_ROUTE = 0;

const LOAD = {
  family: { load: argumentOffset(0) },
  type: { load: argumentOffset(1) },
  protocol: { load: argumentOffset(2) },
} as const;

const REFUSE: Step = { ret: ACTION.EPERM };

const SOCKET_NUMBERS = {
  socket: { x64: 41, arm64: 198 },
  socketpair: { x64: 53, arm64: 199 },
} as const;

/** Sends both calls to their tests; expects the number of the call to be loaded. */
export function socketJumps(arch: LinuxArch): Step[] {
  return [
    { equals: SOCKET_NUMBERS.socket[arch], goto: "socket" },
    { equals: SOCKET_NUMBERS.socketpair[arch], goto: "socketpair" },
  ];
}

/** The tests of both calls; expects the label `allow` behind them. */
export function socketSteps({ unix }: { readonly unix: boolean }): Step[] {
  return [
    { label: "socket" },
    LOAD.family,
    ...(unix ? [{ equals: FAMILY.unix, goto: "allow" }] : []),
    { equals: FAMILY.inet, goto: "inet" },
    { equals: FAMILY.inet6, goto: "inet" },
    { equals: FAMILY.netlink, goto: "netlink" },
    REFUSE,
    ...inetSteps(),
    ...netlinkSteps(),
    ...(unix ? anyPairSteps() : connectedPairSteps()),
  ];
}

/**
 * SOCK_RAW forges packets; SOCK_PACKET is another name of AF_PACKET. SCTP, DCCP, L2TP and others are
 * rarely needed, and the kernel loads a module for whoever asks for one.
 */
function inetSteps(): Step[] {
  return [
    { label: "inet" },
    LOAD.type,
    { and: TYPE_MASK },
    { equals: TYPE.stream, goto: "protocol" },
    { equals: TYPE.datagram, goto: "protocol" },
    REFUSE,
    { label: "protocol" },
    LOAD.protocol,
    ...Object.values(PROTOCOL).map((protocol) => ({ equals: protocol, goto: "allow" })),
    REFUSE,
  ];
}

function netlinkSteps(): Step[] {
  return [{ label: "netlink" }, LOAD.protocol, { equals: NETLINK_ROUTE, goto: "allow" }, REFUSE];
}

function anyPairSteps(): Step[] {
  return [{ label: "socketpair" }, LOAD.family, { equals: FAMILY.unix, goto: "allow" }, REFUSE];
}

/**
 * Only pairs that stay pairs: a datagram socket of a pair still sends to any address and connects
 * elsewhere, so it would be the AF_UNIX socket that `socket` refuses. SOCK_RAW is the same to it.
 */
function connectedPairSteps(): Step[] {
  return [
    { label: "socketpair" },
    LOAD.family,
    { equals: FAMILY.unix, goto: "pair" },
    REFUSE,
    { label: "pair" },
    LOAD.type,
    { and: TYPE_MASK },
    { equals: TYPE.stream, goto: "allow" },
    { equals: TYPE.seqpacket, goto: "allow" },
    REFUSE,
  ];
}
