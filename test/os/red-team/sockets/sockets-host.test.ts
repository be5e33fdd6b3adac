/**
 * F1 to F6, F11: sockets of the host, wherever they lie, under every setting and network.
 *
 * One listener stands for the daemons of a host: what counts is where its sockets lie.
 */
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { pairsIn } from "../../support/kernel-attempts.ts";
import { placeApart } from "../../support/place-apart.ts";
import { flagsOf, profileFlags } from "../../support/sandbox-modes.ts";
import { type Place, placeFor, USERS } from "../../support/sandbox-user.ts";
import { ALL_WAYS, SENDER, type SocketNames, wordsOf } from "../../support/socket-listener.ts";

const SETTINGS = ["none", "private", "host"] as const;
const NETWORKS = ["off", "on"] as const;
type Setting = (typeof SETTINGS)[number];

function socketFlags(place: Place, setting: Setting, network: "off" | "on"): string[] {
  const toml = `extends = ":workspace"
[network]
enabled = ${network === "on"}
unix_socket_access = "${setting}"
`;
  return profileFlags(place.outside, `${setting}-${network}`, toml);
}

/** Where daemons listen: below the workspace, /tmp, /run, a folder that can be read, in writ's own, nowhere. */
function layOut({ workspace, outside, env }: Place): SocketNames {
  const below = (folder: string) => {
    const made = mkdtempSync(path.join(folder, "writ-socket-"));
    onTestFinished(() => rmSync(made, { recursive: true, force: true, maxRetries: 3 }));
    chmodSync(made, 0o755);
    return path.join(made, "s");
  };
  mkdirSync(env.WRIT_HOME ?? "", { recursive: true });
  return {
    workspace: path.join(workspace, "s"),
    nested: below(workspace),
    tmp: below("/tmp"),
    // Everybody may make a folder there.
    run: below("/run/lock"),
    outside: path.join(outside, "s"),
    own: path.join(env.WRIT_HOME ?? "", "s"),
    abstract: `@writ-${process.pid}-${path.basename(path.dirname(workspace))}`,
  };
}

/** What a command reaches: nothing but under `host`, and never what is writ's own. */
function reached(setting: Setting, network: "off" | "on"): string[] {
  if (setting !== "host") return [];
  const inFiles = ["workspace", "nested", "tmp", "run", "outside"];
  return network === "on" ? [...inFiles, "abstract"] : inFiles;
}

describe.each(USERS)("for %s", (user) => {
  const cases = SETTINGS.flatMap((setting) => NETWORKS.map((network) => ({ setting, network })));

  it.each(cases)(
    "F1 F2 F3 F4 F5 F6 F11 reaches what it may with $setting sockets and the network $network",
    async ({ setting, network }) => {
      const place = await placeApart(user);
      const names = layOut(place);
      const listener = await place.listen(names);
      const receipt = path.join(place.outside, "receipt.json");
      const flags = [...socketFlags(place, setting, network), "--receipt", receipt];
      const sender = ["/usr/bin/perl", "-e", SENDER, "inside", ...wordsOf(names)];
      const { stdout, stderr } = place.run(["run", ...flags, "--", ...sender]);
      const { sent, ...answers } = pairsIn(stdout, String);
      expect(sent, stderr).toBe("");
      expect(Object.keys(answers)).toEqual(Object.keys(names));
      const expected = reached(setting, network);
      const ways = expected.flatMap((label) => ALL_WAYS.map((way) => `${label} inside ${way}`));
      expect(await listener.heard()).toEqual(ways.sort());
      const { enforced } = JSON.parse(readFileSync(receipt, "utf8"));
      // In the host's network private sockets cannot be told apart, so there are none.
      const kept = setting === "private" && network === "on" ? "none" : setting;
      expect(enforced).toMatchObject({ unixSockets: kept });
    },
  );

  it.each(["read-only", "workspace-write", "restricted-read", "carve-out", "network-on"] as const)(
    "F1 F4 F5 reaches nothing in the mode %s, which has no sockets",
    async (mode) => {
      const place = await placeApart(user);
      const names = layOut(place);
      const listener = await place.listen(names);
      const sender = ["/usr/bin/perl", "-e", SENDER, "inside", ...wordsOf(names)];
      const { stdout } = place.run(["run", ...flagsOf(mode, place), "--", ...sender]);
      expect(stdout).toContain("tmp no socket: Operation not permitted\n");
      expect(stdout).toMatch(/sent\n$/);
      expect(await listener.heard()).toEqual([]);
    },
  );

  it("F2 F3 F4 hands on no variable that names a socket of the session", () => {
    const place = placeFor(user);
    const names = ["SSH_AUTH_SOCK", "DBUS_SESSION_BUS_ADDRESS", "DISPLAY", "WAYLAND_DISPLAY"];
    const more = ["XDG_RUNTIME_DIR", "GPG_AGENT_INFO", "DOCKER_HOST", "NOTIFY_SOCKET"];
    const set = [...names, ...more].map((name) => `${name}=/run/secret`);
    const command = place.argv(["run", "--sandbox", "workspace-write", "--", "/usr/bin/env"]);
    const found = spawnSync("env", [...set, ...command], {
      cwd: place.workspace,
      env: place.env,
      encoding: "utf8",
    }).stdout;
    expect(found).toContain("PATH=");
    expect(found).not.toContain("/run/secret");
  });
});
