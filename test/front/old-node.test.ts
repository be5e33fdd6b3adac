import { readFileSync } from "node:fs";
import { afterEach, expect, it, vi } from "vitest";
import { openSandbox } from "../../src/front/index.ts";

afterEach(() => {
  vi.unstubAllGlobals();
});

const { engines } = JSON.parse(readFileSync("package.json", "utf8"));
const required = Number.parseInt(engines.node.replace(">=", ""), 10);

function runOn(node: string): void {
  const versions = { ...process.versions, node };
  vi.stubGlobal("process", Object.create(process, { versions: { value: versions } }));
}

const open = () => openSandbox({ policy: "nothing" as "read-only", workspace: "/w", home: "/h" });

it("openSandbox says on an older Node which one it takes, and how to get it", async () => {
  runOn(`${required - 1}.11.0`);
  await expect(open()).rejects.toThrow(
    `Cannot open a sandbox on Node.js ${required - 1}.11.0: expected version ${required} or newer. Run: npm install node-`,
  );
});

it("openSandbox takes the Node that the package asks for", async () => {
  runOn(`${required}.0.0`);
  await expect(open()).rejects.toThrow('Cannot use policy "nothing"');
});
