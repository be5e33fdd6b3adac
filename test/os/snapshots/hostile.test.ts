/** What a hostile package tries during its build and afterwards, with the built program as both users. */
import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { processesWith } from "../../session/provider/support/processes-with.ts";
import { type Place, placeFor, type SandboxUser, USERS } from "../support/sandbox-user.ts";
import { openRegistry } from "./support/registry.ts";
import { helloFrom, runWrit, settings } from "./support/run-writ.ts";

const SECRET = "do-not-tell";
const SECRETS_OF_SYSTEM = `cat /etc/shadow /etc/shadow- /etc/gshadow- > "$WRIT_SNAPSHOT/seen"
find /etc -type f ! -perm -o=r -size +0 >> "$WRIT_SNAPSHOT/seen"
true`;
const layerIn = ({ env }: Place) => {
  const folder = path.join(env.WRIT_HOME ?? "", "snapshots");
  return path.join(folder, readdirSync(folder)[0] ?? "");
};

/** A place with secrets of its user, where a package is asked for whose install script is this. */
async function hostile(user: SandboxUser, scriptIn: (place: Place) => string) {
  const bare = placeFor(user);
  const secrets = { NPM_TOKEN: SECRET, npm_config__auth: SECRET, MY_KEY: SECRET };
  const env: Place["env"] = { ...bare.env, ...secrets };
  const place: Place = { ...bare, env };
  chmodSync(place.outside, 0o777);
  for (const name of [".npmrc", ".netrc"]) {
    writeFileSync(path.join(env.HOME ?? "", name), `//localhost/:_authToken=${SECRET}\n`);
  }
  const registry = await openRegistry({
    ...{ name: "hello", version: "1.0.0" },
    manifest: { bin: { hello: "hello.js" }, scripts: { postinstall: "sh evil.sh" } },
    files: { "hello.js": "#!/bin/sh\necho hello\n", "evil.sh": scriptIn(place) },
  });
  settings(place, helloFrom(registry.url));
  return place;
}

/** Says why not. */
async function built(place: Place, ...flags: string[]): Promise<void> {
  const { status, stderr } = await runWrit(place, ["snapshot", "build", ...flags]);
  expect(status, stderr).toBe(0);
}

describe.each(USERS)("a hostile package, as %s", (user) => {
  it("sees no secret, and of the folders of the user and of writ nothing", async () => {
    const place = await hostile(user, ({ env, outside }) =>
      [
        'cd "$WRIT_SNAPSHOT" && exec > seen 2>&1',
        `env; cat ${env.HOME}/.npmrc ${env.HOME}/.netrc ${env.WRIT_HOME}/config.toml`,
        `ls -A ${env.HOME} ${env.WRIT_HOME} ${env.WRIT_HOME}/snapshots "$HOME"; cat /proc/*/environ`,
        `echo x > ${env.WRIT_HOME}/planted; echo x > ${outside}/planted; true`,
      ].join("\n"),
    );
    await built(place);
    const seen = readFileSync(path.join(layerIn(place), "seen"), "utf8");
    expect(seen).toContain("WRIT_SNAPSHOT=");
    expect(seen).not.toContain(SECRET);
    expect(seen).not.toMatch(/sandbox_mode|^config\.toml$|^snapshots\.sqlite$/m);
    expect(existsSync(path.join(place.env.WRIT_HOME ?? "", "planted"))).toBe(false);
    expect(existsSync(path.join(place.outside, "planted"))).toBe(false);
  });

  it("reads nothing of the system that an ordinary user may not read", async () => {
    const place = await hostile(user, () => SECRETS_OF_SYSTEM);
    await built(place);
    expect(readFileSync(path.join(layerIn(place), "seen"), "utf8")).toBe("");
  });

  it("leaves nobody behind who writes into what was published", async () => {
    const mark = `late-${process.pid}-${user}`;
    const place = await hostile(
      user,
      () => `cd "$WRIT_SNAPSHOT" && for n in 1 2; do
  setsid nohup sh -c 'while :; do echo x >> late; sleep 0.05; done' ${mark} > /dev/null 2>&1 &
done; until [ -s late ]; do sleep 0.05; done`,
    );
    await built(place);
    expect(existsSync(path.join(layerIn(place), "late"))).toBe(true);
    expect(processesWith(mark)).toEqual([]);
  });

  it("has none of its programs run by writ itself, whatever they are called", async () => {
    const names = "bwrap sh bash env setpriv nsenter unshare mount node npm chmod mv cat setsid";
    const place = await hostile(
      user,
      ({ outside }) => `cd "$WRIT_SNAPSHOT" && mkdir -p bin && for n in ${names}; do
  printf '#!/bin/sh\\n/usr/bin/touch ${outside}/ran\\nexit 0\\n' > bin/$n.tmp
  /bin/chmod 755 bin/$n.tmp; /bin/mv bin/$n.tmp bin/$n
done`,
    );
    await built(place);
    expect(readdirSync(path.join(layerIn(place), "bin"))).toEqual(
      expect.arrayContaining([...names.split(" "), "hello"]),
    );
    const chat = await runWrit(place, ["chat"], ["/bin/echo one", "/bin/echo two"]);
    expect(chat.stdout).toContain("| two\n");
    await built(place, "--force");
    expect(existsSync(path.join(place.outside, "ran"))).toBe(false);
  });
});

describe.each(USERS)("a package that hides what is not fit, as %s", (user) => {
  it.each([
    [
      "behind a name that is no UTF-8",
      `touch "$(printf '\\357\\277\\275')"; ln -s /etc "$(printf '\\377')"`,
    ],
    ["in a folder that nobody may enter", "mkdir -p a/b; ln -s /etc a/b/bad; chmod 400 a"],
    [
      "deeper than a path may be long",
      `n=$(printf 'd%.0s' $(seq 200)); for i in $(seq 30); do mkdir $n; cd -P $n; done; ln -s /etc bad`,
    ],
  ])("is refused with a sentence %s, and leaves nothing", async (_, script) => {
    const place = await hostile(user, () => `cd "$WRIT_SNAPSHOT" && ${script}`);
    const { status, stderr } = await runWrit(place, ["snapshot", "build"]);
    expect(status).toBe(1);
    expect(stderr).toMatch(/^writ: Cannot build the snapshot: something in the layer is not fit/m);
    expect(readdirSync(path.join(place.env.WRIT_HOME ?? "", "snapshots"))).toEqual([]);
  });
});
