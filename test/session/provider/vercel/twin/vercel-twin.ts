/**
 * A twin of the service on this machine, for the real SDK over real HTTP.
 *
 * A VM is a folder of this machine and the processes that run in it, as an
 * ordinary user where the tests are root. Answers have the shapes that the SDK
 * checks; errors have addresses and text in them that nobody may see.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import { refuse, reply, SERVICE, type TwinRequest } from "./twin-request.ts";
import { TwinVm } from "./twin-vm.ts";

/** What a test wants to happen instead: before the twin acts, or after it did. */
export type TwinFault = (request: TwinRequest, response: ServerResponse) => "answered" | undefined;

export class VercelTwin {
  readonly vms: TwinVm[] = [];
  readonly requests: TwinRequest[] = [];
  /** Asked before every request. */
  fault: TwinFault = () => undefined;
  /** What VMs are told to be the folder of. */
  workspace = "/nowhere";
  #port = 0;

  /** Listens until the test is over. */
  static async open(): Promise<VercelTwin> {
    const twin = new VercelTwin();
    const server = createServer((request, response) => void twin.#meet(request, response));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    twin.#port = (server.address() as AddressInfo).port;
    onTestFinished(async () => {
      await Promise.all(twin.vms.map((vm) => vm.end()));
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    });
    return twin;
  }

  /** What the SDK sends its requests with. */
  readonly fetch: typeof globalThis.fetch = (url, request) =>
    fetch(String(url).replace(SERVICE, `http://127.0.0.1:${this.#port}`), request);

  /** Those that were sent to a path that ends so. */
  sent(end: string): TwinRequest[] {
    return this.requests.filter(({ path }) => path.endsWith(end));
  }

  async #meet(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const bytes = Buffer.concat(await message.toArray());
    const { pathname: path, searchParams: query } = new URL(message.url ?? "", SERVICE);
    const { method = "", headers } = message;
    const request: TwinRequest = { method, path, query, headers, bytes };
    this.requests.push(request);
    if (this.fault(request, response) === "answered") return;
    await this.#answer(request, response);
  }

  async #answer(request: TwinRequest, response: ServerResponse): Promise<void> {
    const { method, path } = request;
    const of = /^\/v2\/sandboxes\/sessions\/([^/]+)(\/.*)$/.exec(path);
    if (of !== null) {
      const vm = this.vms.find(({ sessionId }) => sessionId === of[1]);
      return vm === undefined
        ? refuse(response, 404, "not_found")
        : vm.answer(of[2] ?? "", request, response);
    }
    if (method === "POST" && path === "/v3/sandboxes") {
      const vm = new TwinVm(JSON.parse(String(request.bytes)), this.workspace);
      this.vms.push(vm);
      return reply(response, { ...vm.described, routes: [] });
    }
    if (path === "/v2/sandboxes") {
      const sandboxes = this.vms.map((vm) => vm.described.sandbox);
      const pagination = { count: sandboxes.length, next: null };
      return reply(response, { sandboxes, pagination });
    }
    const vm = this.vms.find(({ name }) => path === `/v2/sandboxes/${name}`);
    if (vm === undefined) return refuse(response, 404, "not_found");
    reply(response, { ...vm.described, routes: [] });
  }
}
