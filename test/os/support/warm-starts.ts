/**
 * The code that the program keeps of itself between two starts (decision 26), for homes that are new.
 *
 * Every test has a home of its own, so that each would compile all of the program anew, which takes
 * longer than what most of them try.
 */
import { spawnSync } from "node:child_process";
import { chownSync, existsSync, linkSync, mkdirSync, readdirSync, statSync } from "node:fs";
import path from "node:path";
import { asUser, ORDINARY, type SandboxUser, USERS } from "./users.ts";

const homeOf = (installed: string, user: SandboxUser) =>
  path.join(path.dirname(installed), `home-${user}`);

/** Starts what most tests start, as every user. */
export function warmStarts(installed: string): void {
  for (const user of USERS) {
    const home = homeOf(installed, user);
    mkdirSync(home);
    if (process.getuid?.() === 0 && user === "ordinary") chownSync(home, ORDINARY, ORDINARY);
    for (const args of [["run", "--sandbox", "read-only", "--", "true"], ["app-server"]]) {
      const [program = "", ...rest] = [...asUser(user), path.join(installed, "bin/writ"), ...args];
      const env = { PATH: "/usr/bin:/bin", HOME: home, WRIT_HOME: home };
      spawnSync(program, rest, { cwd: "/", env, stdio: ["ignore", "ignore", "inherit"] });
    }
  }
}

/** Gives a new home what was kept. A program that nobody started before has nothing. */
export function warmHome(home: string, installed: string, user: SandboxUser): void {
  const kept = path.join(homeOf(installed, user), "cache");
  if (!existsSync(kept)) return;
  mkdirSync(home, { mode: 0o700 });
  link(kept, path.join(home, path.basename(kept)));
}

/** The folders anew, the files as they are: to start a program for it takes longer. */
function link(from: string, to: string): void {
  const { uid, gid } = statSync(from);
  mkdirSync(to, { mode: 0o700 });
  chownSync(to, uid, gid);
  for (const one of readdirSync(from, { withFileTypes: true })) {
    const [old, fresh] = [path.join(from, one.name), path.join(to, one.name)];
    if (one.isDirectory()) link(old, fresh);
    else linkSync(old, fresh);
  }
}
