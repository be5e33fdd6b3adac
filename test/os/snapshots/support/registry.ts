/** A registry of npm on the loopback, with the packages that a test puts into it. */
import { createHash } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { onTestFinished } from "vitest";

export interface FakePackage {
  readonly name: string;
  readonly version: string;
  /** Beside `package.json`, by path. */
  readonly files?: Readonly<Record<string, string>>;
  readonly manifest?: Readonly<Record<string, unknown>>;
}

export interface Registry {
  readonly url: string;
  /** Paths that were asked for, in order. */
  readonly asked: string[];
  /** Waited for before a tarball is sent. */
  gate: Promise<void>;
  put(one: FakePackage): void;
}

/** Two tiny packages: `hello` has a program, `words` is a library that it needs. */
export const HELLO: FakePackage = {
  name: "hello",
  version: "1.0.0",
  manifest: { bin: { hello: "hello.js" }, dependencies: { words: "^1.0.0" } },
  files: { "hello.js": '#!/usr/bin/env node\nconsole.log(require("words"));\n' },
};
export const WORDS: FakePackage = {
  name: "words",
  version: "1.0.0",
  files: { "index.js": 'module.exports = "hello from a package";\n' },
};

export async function openRegistry(...packages: readonly FakePackage[]): Promise<Registry> {
  const all = [...packages];
  const asked: string[] = [];
  const server = createServer(async (request, response) => {
    const path = decodeURIComponent(request.url ?? "/");
    asked.push(path);
    const tarball = all.find((one) => path === tarballPath(one));
    if (tarball !== undefined) {
      await registry.gate;
      response.end(tarballOf(tarball));
      return;
    }
    const versions = all.filter(({ name }) => path === `/${name}`);
    if (versions.length === 0) response.statusCode = 404;
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify(versions.length === 0 ? {} : packument(versions, registry.url)));
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const { port } = server.address() as AddressInfo;
  const registry: Registry = {
    ...{ url: `http://127.0.0.1:${port}/`, asked, gate: Promise.resolve() },
    put: (one) => void all.push(one),
  };
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
  });
  return registry;
}

const tarballPath = ({ name, version }: FakePackage) => `/-/${name}-${version}.tgz`;

function packument(versions: readonly FakePackage[], url: string) {
  const [first] = versions;
  const last = versions.at(-1);
  return {
    name: first?.name,
    "dist-tags": { latest: last?.version },
    versions: Object.fromEntries(versions.map((one) => [one.version, manifestOf(one, url)])),
  };
}

function manifestOf(one: FakePackage, url: string) {
  const integrity = `sha512-${createHash("sha512").update(tarballOf(one)).digest("base64")}`;
  const tarball = new URL(tarballPath(one), url).href;
  return { ...bareManifest(one), dist: { tarball, integrity } };
}

const bareManifest = ({ name, version, manifest }: FakePackage) => ({ name, version, ...manifest });

function tarballOf(one: FakePackage): Buffer {
  const files = { "package.json": JSON.stringify(bareManifest(one)), ...one.files };
  const parts = Object.entries(files).flatMap(([name, text]) => entryOf(`package/${name}`, text));
  return gzipSync(Buffer.concat([...parts, Buffer.alloc(1024)]));
}

/** One file of a tar: a header of 512 bytes, then the content in blocks of as many. */
function entryOf(name: string, text: string): Buffer[] {
  const content = Buffer.from(text);
  const header = Buffer.alloc(512);
  const octal = (value: number, width: number) => `${value.toString(8).padStart(width - 1, "0")}\0`;
  header.write(name, 0);
  header.write(octal(0o755, 8), 100);
  header.write(octal(0, 8), 108);
  header.write(octal(0, 8), 116);
  header.write(octal(content.length, 12), 124);
  header.write(octal(0, 12), 136);
  header.write("        ", 148);
  header.write("0", 156);
  header.write("ustar\x0000", 257);
  header.write(
    octal(
      header.reduce((sum, byte) => sum + byte, 0),
      8,
    ),
    148,
  );
  return [header, content, Buffer.alloc((512 - (content.length % 512)) % 512)];
}
