/** For which plans a sandbox can be built before the command is known, and which commands could use it. */
import { describe, expect, it } from "vitest";
import { parseAbsolutePath as at, type BoundProfile } from "../../../src/policy/index.ts";
import type { LaunchPlan, LaunchRequest } from "../../../src/sandbox/launch-plan.ts";
import { type LinuxHost, planLinux } from "../../../src/sandbox/linux/plan-linux.ts";
import { boundWith, type Rule } from "../../policy/support/profiles.ts";
import { fileTree } from "../support/file-tree.ts";

const HOST: LinuxHost = {
  bwrap: at("/usr/bin/bwrap"),
  arch: "x64",
  files: {
    ...fileTree(
      "/r/.git/",
      "/r/sub/",
      "/usr/bin/bwrap",
      "/usr/bin/dash",
      "/usr/share/",
      "/proc/keys",
    ),
    sockets: () => [],
  },
  own: { hidden: [], readOnly: [] },
  uid: 1000,
  limitMeans: undefined,
  propagation: "private",
  coreDumps: "none",
  sessionFiles: [],
  shell: at("/usr/bin/dash"),
};

const WORKSPACE: readonly Rule[] = [
  [":root", "read"],
  [":workspace_roots", "write"],
];

interface Given {
  readonly profile?: BoundProfile;
  readonly host?: Partial<LinuxHost>;
  readonly request?: Partial<LaunchRequest>;
}

function planned({ profile = boundWith(WORKSPACE), host, request }: Given = {}): LaunchPlan {
  const command = ["/bin/true"] as const;
  const env = { PATH: "/usr/bin" };
  return planLinux(
    { command, cwd: at("/r"), env, terminal: "none", profile, ...request },
    { ...HOST, ...host },
  );
}

const spareOf = (given?: Given) => planned(given).spare?.plan;

describe("planSpare", () => {
  it("plans the same sandbox around a shell that reads its order from descriptor 3", () => {
    const { spare, ...plan } = planned();
    const argvs: (readonly string[])[] = [plan.argv, spare?.plan.argv ?? []];
    const [before, after] = argvs.map((argv) =>
      argv.slice(0, argv.indexOf("--")).filter((word) => !/^\d+$/.test(word)),
    );
    expect(after).toEqual(before);
    expect(spare?.plan.argv.slice(-3)).toEqual(["--", "/usr/bin/dash", "/proc/self/fd/3"]);
    expect(spare?.plan.descriptors[0]).toEqual({ kind: "order" });
    expect(spare?.plan.descriptors.filter(({ kind }) => kind === "path")).toEqual(
      plan.descriptors.filter(({ kind }) => kind === "path"),
    );
    const { argv: _, descriptors: __, ...rest } = plan;
    expect(spare?.plan).toMatchObject(rest);
  });

  it("keeps the variables of a command out of it: they come with the order", () => {
    const spare = planned({ request: { env: { PATH: "/bin", TOKEN: "hush" } } }).spare;
    expect(JSON.stringify(spare?.plan)).not.toContain("hush");
    expect(spare?.order).toContain("export TOKEN='hush'");
  });

  it("gives commands with other words and other variables equal plans", () => {
    const other = spareOf({ request: { command: ["ls", "-l"], env: { PATH: "/bin", A: "b" } } });
    expect(other).toBeDefined();
    expect(other).toEqual(spareOf());
  });

  it.each<[string, Given]>([
    ["another folder", { request: { cwd: at("/r/sub") } }],
    ["other rules", { profile: boundWith([...WORKSPACE, ["/r/sub", "read"]]) }],
    ["a network", { profile: { ...boundWith(WORKSPACE), network: { kind: "enabled" } } }],
    ["nothing but another filter", { profile: { ...boundWith(WORKSPACE), unixSockets: "host" } }],
    ["a .git that is gone", { host: { files: { ...HOST.files, ...fileTree("/r/sub/") } } }],
  ])("gives a command with %s another plan", (_, given) => {
    expect(spareOf(given)).toBeDefined();
    expect(spareOf(given)).not.toEqual(spareOf());
  });

  it.each<[string, Given]>([
    ["with a terminal", { request: { terminal: "pty" } }],
    ["with inputs", { request: { inputs: [new Uint8Array(1)] } }],
    ["that no order can say", { request: { env: { PATH: "/bin", "A-B": "" } } }],
    ["on a host without the shell", { host: { shell: undefined } }],
    ["that sees nothing of the host", { profile: boundWith([[":workspace_roots", "write"]]) }],
    [
      "that programs are hidden from",
      { profile: boundWith([...WORKSPACE, ["/usr/share", "deny"]]) },
    ],
    ["that may replace the shell", { profile: boundWith([...WORKSPACE, ["/usr/bin", "write"]]) }],
  ])("plans none for a command %s", (_, given) => {
    expect(planned(given).spare).toBeUndefined();
  });
});
