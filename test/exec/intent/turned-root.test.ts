/** A workspace root, a granted place or `TMPDIR` that somebody turns elsewhere after it was allowed, and back again. */
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import type { ExecHost } from "../../../src/exec/exec-host.ts";
import { createLocalFiles } from "../../../src/exec/files/create-local-files.ts";
import { probePlaces } from "../../../src/exec/intent/probe-places.ts";
import type { SandboxIntent } from "../../../src/exec/intent/sandbox-intent.ts";
import { planStart } from "../../../src/exec/plan-start.ts";
import { parseAbsolutePath, readExecContext, uriOfNative } from "../../../src/policy/index.ts";

let place: string;

beforeEach(() => {
  const made = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "writ-turned-")));
  onTestFinished(() => fs.rmSync(made, { recursive: true }));
  fs.mkdirSync(path.join(made, "allowed/work"), { recursive: true });
  fs.mkdirSync(path.join(made, "outside"));
  fs.writeFileSync(path.join(made, "outside/secret"), "secret");
  place = made;
  turn("allowed/work");
});

function at(...names: string[]) {
  return parseAbsolutePath(path.join(place, ...names));
}

function turn(to: string): void {
  fs.symlinkSync(at(to), at("allowed/next"));
  fs.renameSync(at("allowed/next"), at("allowed/link"));
}

interface Turning {
  readonly roots: ExecHost["bounds"]["roots"];
  /** Where the link leads when it is looked at. */
  readonly first: string;
}

/** Turns the link when it was looked at, and back once something was made of it. */
function turningHost(turning: Partial<Turning> = {}): ExecHost {
  const { roots, first } = { roots: [at("allowed")], first: "allowed/work", ...turning };
  const bounds = { ceilings: [], roots, waivers: "refused", hostNetwork: "refused" } as const;
  return {
    env: {},
    platform: "linux",
    records: at("records"),
    ...probePlaces({ TMPDIR: at("allowed/link") }),
    externalSandbox: "absent",
    get bounds() {
      turn(first);
      return bounds;
    },
    get own() {
      turn("outside");
      return { hidden: [], readOnly: [] };
    },
  };
}

function contextWith(opened: object, roots: readonly string[]) {
  const minimal = { path: { type: "special", value: { kind: "minimal" } }, access: "read" };
  const entries = [minimal, { path: opened, access: "write" }];
  return readExecContext({
    permissions: {
      type: "managed",
      file_system: { type: "restricted", entries },
      network: "restricted",
    },
    cwd: uriOfNative("/usr"),
    workspaceRoots: roots,
    windowsSandboxLevel: "disabled",
  });
}

function writeToRoots(): SandboxIntent {
  const symbol = { type: "special", value: { kind: "project_roots" } };
  return {
    kind: "enforce",
    context: contextWith(symbol, [uriOfNative(at("allowed/link"))]),
  };
}

/** By its name, which was agreed to before a link came there. */
function writeToName(): SandboxIntent {
  const path = uriOfNative(at("allowed/link"));
  return { kind: "enforce", context: contextWith({ type: "path", path }, []), unturned: [path] };
}

function writeToTmpdir(): SandboxIntent {
  return {
    kind: "enforce",
    context: contextWith({ type: "special", value: { kind: "tmpdir" } }, []),
  };
}

function requestFor(sandbox: SandboxIntent) {
  return {
    processId: "1",
    argv: ["true"],
    arg0: null,
    cwd: uriOfNative("/usr"),
    envPolicy: null,
    env: {},
    terminal: null,
    pipeStdin: false,
    sandbox,
    anchor: null,
    ids: {},
  };
}

describe.each([
  ["a root that leads elsewhere by the time it is planned", writeToRoots],
  ["a place that was agreed to by name and has become a link", writeToName],
  ["a folder for temporary files that leads elsewhere than at the start", writeToTmpdir],
])("%s", (_, intent) => {
  it("is refused for a command, also when it leads back afterwards", async () => {
    await expect(planStart(requestFor(intent()), turningHost())).rejects.toThrow("now leads to");
  });

  it("is refused for a file operation", async () => {
    const files = createLocalFiles(turningHost());
    const secret = uriOfNative(at("outside/secret"));
    const under = { links: "follow", sandbox: intent(), anchor: null } as const;
    const read = files.readFile({ path: secret, ...under });
    await expect(read).rejects.toThrow("now leads to");
  });
});

it("a granted place that led nowhere is refused where it leads elsewhere by the time it is planned", async () => {
  const symbol = { type: "special", value: { kind: "project_roots", subpath: "link" } };
  const context = contextWith(symbol, [uriOfNative(at("allowed"))]);
  const host = turningHost({ roots: "any", first: "allowed/nowhere" });
  const planned = planStart(requestFor({ kind: "enforce", context }), host);
  await expect(planned).rejects.toThrow("now leads to");
});
