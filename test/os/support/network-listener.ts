/** A listener of the host for TCP and UDP on one port, and a command that tries to reach it. */
import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import net from "node:net";
import os from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { onTestFinished } from "vitest";

export interface HostListener {
  readonly port: number;
  /** By which ways somebody came, but for the host itself, which comes now. */
  heard(): Promise<string[]>;
}

/** The IPv4 addresses of this host, the loopback first. */
export function hostAddresses(): string[] {
  const all = Object.values(os.networkInterfaces()).flatMap((found) => found ?? []);
  const others = all.filter(({ family, internal }) => family === "IPv4" && !internal);
  return ["127.0.0.1", ...others.map(({ address }) => address)];
}

/**
 * Tries every address given by TCP and UDP, where resolvers of a host listen, and its own loopback.
 *
 * Nothing here would leave the host even if the sandbox had its network; that there is no way out
 * is told by its interfaces and routes.
 */
export const REACH = `
  use Socket;
  $| = 1;
  my ($port, @addresses) = @ARGV;
  sub try {
    my ($label, $type, $to) = @_;
    socket(my $socket, AF_INET, $type, 0) or do { print "$label socket: $!\\n"; return };
    local $SIG{ALRM} = sub { die };
    my $done = eval { alarm 3; my $way = connect($socket, $to); alarm 0; $way };
    if ($type == SOCK_DGRAM && $done) { $done = send($socket, "inside", 0) }
    my $word = $type == SOCK_DGRAM ? "sent" : "connected";
    print "$label ", ($done ? $word : "failed $!"), "\\n";
  }
  for my $address (@addresses) {
    my $to = pack_sockaddr_in($port, inet_aton($address));
    try("tcp-$address", SOCK_STREAM, $to);
    try("udp-$address", SOCK_DGRAM, $to);
  }
  for my $at (53, 443, 853) {
    try("resolver-$at", SOCK_STREAM, pack_sockaddr_in($at, inet_aton("127.0.0.53")));
  }
  socket(my $server, AF_INET, SOCK_STREAM, 0);
  bind($server, pack_sockaddr_in(0, INADDR_LOOPBACK)) && listen($server, 1) or die "listen: $!";
  socket(my $client, AF_INET, SOCK_STREAM, 0);
  print "loopback own\\n" if connect($client, getsockname $server);
  open my $table, "/proc/self/net/dev";
  my @interfaces = map { /^\\s*(\\S+):/ ? $1 : () } <$table>;
  print "interfaces @interfaces\\n";
  open my $routes, "/proc/self/net/route";
  print "routes ", scalar(() = <$routes>) - 1, "\\n";
`;

export async function listenOnHost(): Promise<HostListener> {
  const visitors: (number | undefined)[] = [];
  const server = net.createServer((socket) => {
    visitors.push(socket.remotePort);
    socket.on("error", () => {}).resume();
  });
  onTestFinished(() => void server.close());
  const texts: string[] = [];
  const datagrams = createSocket("udp4", (text) => texts.push(String(text)));
  onTestFinished(() => void datagrams.close());
  const port = await bindBoth(server, datagrams);
  const heard = async () => {
    const own = net.connect(port, "127.0.0.1");
    await once(own, "connect");
    const { localPort } = own;
    datagrams.send("control", port, "127.0.0.1");
    while (!visitors.includes(localPort) || !texts.includes("control")) await sleep(5);
    own.destroy();
    const tcp = visitors.some((visitor) => visitor !== localPort);
    return [...(tcp ? ["tcp"] : []), ...(texts.some((text) => text !== "control") ? ["udp"] : [])];
  };
  return { port, heard };
}

/** The one port of both. What is free for TCP may be taken for UDP; then it is another one. */
async function bindBoth(server: net.Server, datagrams: Socket): Promise<number> {
  for (;;) {
    server.listen(0, "0.0.0.0");
    await once(server, "listening");
    const { port } = server.address() as net.AddressInfo;
    datagrams.bind(port);
    const isBound = await once(datagrams, "listening").then(
      () => true,
      () => false,
    );
    if (isBound) return port;
    await new Promise((closed) => server.close(closed));
  }
}
