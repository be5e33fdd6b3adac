import { describe, expect, it } from "vitest";
import { sandboxOperations, sandboxPlan } from "../../../src/cli/repl/sandbox-plan.ts";
import { workerPolicy } from "../../../src/cli/repl/worker-policy.ts";

/** `name value` pairs as they stand on a command line. */
function plan(...words: string[]) {
  const order = words.map((word) => {
    const [name = "", ...rest] = word.split(" ");
    return { name: name.replace(/^--/, ""), value: rest.join(" ") };
  });
  return sandboxPlan(sandboxOperations(order));
}

const WORKSPACE = {
  kind: "explicit",
  mode: "workspace-write",
  writableRoots: [],
  networkAccess: false,
  excludeTmpdirEnvVar: false,
  excludeSlashTmp: false,
};
const INHERIT = { kind: "inherit", writableRoots: [], network: "asSent" };
const WRITE = "--config sandbox_workspace_write";

describe("sandboxPlan", () => {
  it.each([
    ["nothing", [], WORKSPACE],
    ["a mode", ["--sandbox read-only"], { ...WORKSPACE, mode: "read-only" }],
    ["no sandbox", ["--sandbox danger-full-access"], { mode: "danger-full-access" }],
    ["inherit", ["--sandbox inherit"], INHERIT],
    ["mcp-repl's word for it", ["--sandbox inherit-codex"], INHERIT],
    ["a mode as a setting", ['--config sandbox_mode="read-only"'], { mode: "read-only" }],
    ["one in single quotes", ["--config sandbox_mode='read-only'"], { mode: "read-only" }],
    ["a root", ["--add-writable-root /a"], { ...WORKSPACE, writableRoots: ["/a"] }],
    ["its other spelling", ["--add-writeable-root /a"], { writableRoots: ["/a"] }],
    ["roots that add up", ["--add-writable-root /a", "--add-writable-root /b"], roots("/a", "/b")],
    ["roots replaced", ["--add-writable-root /a", `${WRITE}.writable_roots=["/b"]`], roots("/b")],
    ["the network", [`${WRITE}.network_access=true`], { ...WORKSPACE, networkAccess: true }],
    ["no TMPDIR", [`${WRITE}.exclude_tmpdir_env_var=true`], { excludeTmpdirEnvVar: true }],
    ["no /tmp", [`${WRITE}.exclude_slash_tmp = true`], { excludeSlashTmp: true }],
    ["bubblewrap", ["--config use_linux_sandbox_bwrap=true"], WORKSPACE],
    ["the same by its full name", ["--config features.use_linux_sandbox_bwrap=true"], WORKSPACE],
    ["a mode after inherit", ["--sandbox inherit", "--sandbox workspace-write"], WORKSPACE],
    ["roots beside inherit", ["--sandbox inherit", "--add-writable-root /a"], roots("/a")],
    ["no network beside it", ["--sandbox inherit", `${WRITE}.network_access=false`], off()],
    [
      "a mode that begins anew",
      [`${WRITE}.network_access=true`, "--sandbox workspace-write"],
      WORKSPACE,
    ],
    [
      "inherit after a mode (inherit case 5)",
      ["--sandbox read-only", "--sandbox inherit"],
      INHERIT,
    ],
    ["inherit that does so", ["--add-writable-root /a", "--sandbox inherit"], INHERIT],
    ["other options", ["--language python", "--debug-dir /x"], WORKSPACE],
  ])("reads %s", (_, words, expected) => {
    expect(plan(...words)).toMatchObject(expected);
  });

  it.each([
    [
      "a mode that is not there",
      ["--sandbox none"],
      /--sandbox "none": expected inherit, read-only/,
    ],
    ["external-sandbox", ["--sandbox external-sandbox"], /expected inherit/],
    ["an empty mode", ["--sandbox "], /--sandbox "": expected/],
    ["a relative root", ["--add-writable-root rel"], /"rel": it is relative, expected an absolute/],
    ["an empty root", ["--add-writable-root "], /it is relative, expected an absolute path/],
    ["a root with read-only", ["--sandbox read-only", "--add-writable-root /x"], /with read-only/],
    ["one with no sandbox", ["--sandbox danger-full-access", "--add-writable-root /x"], /danger/],
    [
      "what could not be meant before a mode that begins anew (inherit case 7)",
      ["--sandbox read-only", "--add-writable-root /x", "--sandbox workspace-write"],
      /with read-only: expected workspace-write or inherit/,
    ],
    [
      "the same before a later mode",
      ["--sandbox read-only", "--add-writable-root /x", "--sandbox inherit"],
      /with read-only: expected workspace-write or inherit/,
    ],
    [
      "a network with read-only",
      ["--sandbox read-only", `${WRITE}.network_access=true`],
      /read-only/,
    ],
    [
      "a network with inherit",
      ["--sandbox inherit", `${WRITE}.network_access=true`],
      /what each call says/,
    ],
    [
      "TMPDIR with inherit",
      ["--sandbox inherit", `${WRITE}.exclude_tmpdir_env_var=true`],
      /temporary folders are what each call says/,
    ],
    [
      "/tmp with read-only",
      ["--sandbox read-only", `${WRITE}.exclude_slash_tmp=true`],
      /read-only/,
    ],
    ["a domain that is an address", ["--add-allowed-domain https://x/y"], /need a proxy/],
    ["every domain", ["--add-allowed-domain *"], /need a proxy/],
    ["a list of domains", ['--config permissions.network.allowed_domains=["a.b"]'], /need a proxy/],
    ["a list of others", ['--config permissions.network.denied_domains=["a.b"]'], /need a proxy/],
    ["local binding", ["--config permissions.network.allow_local_binding=true"], /need a proxy/],
    ["no bubblewrap", ["--config use_linux_sandbox_bwrap=false"], /would take the sandbox away/],
    [
      "the same in full",
      ["--config features.use_linux_sandbox_bwrap=false"],
      /take the sandbox away/,
    ],
    ["a setting without a value", ["--config sandbox_mode"], /"sandbox_mode": expected KEY=VALUE/],
    ["one that is not there", ["--config model=x"], /"model": there is no such key/],
    ["one of no name", ["--config =x"], /there is no such key/],
    ["a truth that is none", [`${WRITE}.network_access=1`], /=1: expected true or false/],
    ["one in capitals", [`${WRITE}.exclude_slash_tmp=True`], /expected true or false/],
    ["roots that are no list", [`${WRITE}.writable_roots=/a`], /expected a JSON array of paths/],
    ["roots that are no text", [`${WRITE}.writable_roots=[1]`], /expected a JSON array of paths/],
    ["a relative one among them", [`${WRITE}.writable_roots=["/a","b"]`], /"b": it is relative/],
  ])("refuses %s", (_, words, message) => {
    expect(() => plan(...words)).toThrow(message);
    expect(() => plan(...words)).toThrow(/^Cannot use /);
  });
});

describe("workerPolicy", () => {
  it("has calls decide where they are to, with the roots that were added", () => {
    const { policy, network } = workerPolicy(
      plan("--sandbox inherit", "--add-writable-root /a", `${WRITE}.network_access=false`),
      "/ws",
    );
    expect(policy).toEqual({ kind: "inherit", writableRoots: ["file:///a"] });
    expect(network).toBe("off");
  });

  it("sets a state of its own otherwise, in the folder of the server", () => {
    const { policy } = workerPolicy(plan("--add-writable-root /a"), "/ws");
    expect(policy).toMatchObject({
      kind: "explicit",
      state: { cwd: "file:///ws", profile: { type: "managed", network: { kind: "restricted" } } },
    });
    expect(JSON.stringify(policy)).toContain("file:///a");
    expect(workerPolicy(plan("--sandbox danger-full-access"), "/ws").policy).toMatchObject({
      state: { profile: { type: "disabled" } },
    });
    const open = workerPolicy(plan(`${WRITE}.network_access=true`), "/ws").policy;
    expect(open).not.toMatchObject({ state: { profile: { network: { kind: "restricted" } } } });
  });
});

function roots(...writableRoots: string[]) {
  return { writableRoots };
}

function off() {
  return { kind: "inherit", network: "off" };
}
