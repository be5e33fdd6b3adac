/**
 * Writes `schema/` and `docs/protocol/` from the declarations in `src/`.
 *
 * Run by `npm run generate`. A contract test compares what this would write
 * with what is there, so neither folder is edited by hand.
 */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { z } from "zod";
import { appProtocol } from "../src/app-server/protocol/app-protocol.ts";
import { execProtocol } from "../src/exec/index.ts";
import {
  CanonicalProfile,
  ExecContextWire,
  Limits,
  NetworkRules,
  SandboxStateWire,
  sandboxPolicySchema,
  WritExtension,
} from "../src/policy/index.ts";
import { protocolPage, protocolSchema } from "../src/rpc/index.ts";
import { Receipt } from "../src/sandbox/index.ts";
import { shapePage } from "./shape-page.ts";
import { typeDeclarations } from "./type-declarations.ts";

const ROOT = path.resolve(import.meta.dirname, "..");

/** The wire shapes that have no method of their own yet, by file name. */
const SHAPES = {
  "sandbox-policy": sandboxPolicySchema(z.object),
  "permission-profile": CanonicalProfile,
  "sandbox-context": ExecContextWire,
  "sandbox-state": SandboxStateWire,
  "writ-extension": WritExtension,
  limits: Limits,
  "network-rules": NetworkRules,
  receipt: Receipt,
} as const;

const PROTOCOLS = [execProtocol, appProtocol];

/** Every generated file: its path in the repository and its text. */
export function generatedFiles(): Map<string, string> {
  const schemas = Object.entries(SHAPES).map(([name, shape]) => ({
    name,
    schema: z.toJSONSchema(shape, { io: "input" }),
  }));
  return new Map([
    ...schemas.map(
      ({ name, schema }) =>
        [`schema/${name}.json`, `${JSON.stringify(schema, null, 2)}\n`] as const,
    ),
    ["docs/protocol/policy.md", shapePage(schemas)] as const,
    ...PROTOCOLS.flatMap((protocol) => [
      [
        `schema/${protocol.name}.json`,
        `${JSON.stringify(protocolSchema(protocol), null, 2)}\n`,
      ] as const,
      [`docs/protocol/${protocol.name}.md`, protocolPage(protocol)] as const,
    ]),
    [`schema/${appProtocol.name}.ts`, typeDeclarations(appProtocol)] as const,
  ]);
}

if (import.meta.main) {
  for (const folder of ["schema", "docs/protocol"]) {
    rmSync(path.join(ROOT, folder), { recursive: true, force: true });
  }
  for (const [file, text] of generatedFiles()) {
    mkdirSync(path.dirname(path.join(ROOT, file)), { recursive: true });
    writeFileSync(path.join(ROOT, file), text);
  }
}
