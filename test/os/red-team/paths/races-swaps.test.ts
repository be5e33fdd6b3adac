/**
 * Somebody on the host swaps folders, links and names while sandboxes start.
 *
 * A folder for a link to the outside, a folder for its twin, a link in the place
 * of a name that writ is about to make. Where root runs the sandboxes, the one
 * who swaps is an ordinary user who owns the workspace.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { type Place, placeFor, type SandboxUser, USERS } from "../../support/sandbox-user.ts";
import { stateOf } from "./support/path-attempts.ts";
import { CALL } from "./support/path-calls.ts";
import { isAlive } from "./support/race-processes.ts";

const TIME_MS = 8000;
const ORDINARY = 65_534;

/** Mostly there and back at once, so that some sandboxes live; at times in a burst. */
const SWAP = `
  my ($outside) = @ARGV;
  my @pairs = (["a", "x"], ["t", "../swap/u"], [".git", "../swap/g"], ["p", "l"]);
  sub swap { my ($from, $to) = @_; syscall(${CALL.renameat2}, -100, $from, -100, $to, 2) }
  sub pause { select(undef, undef, undef, rand($_[0])) }
  $SIG{TERM} = sub { exit 0 };
  for (;;) {
    my @pair = @{$pairs[rand @pairs]};
    for (1 .. (rand() < 0.2 ? 20 : 1)) {
      swap(@pair); pause(0.002); swap(reverse @pair);
    }
    if (rand() < 0.3) { symlink($outside, ".codex"); pause(0.003); unlink(".codex"); }
    pause(0.2);
  }
`;

const KEPT = ["a/keep", "t/keep", ".git", "p/q"];
/** Twins lie where no command may write: what is swapped for one is safe while it is away. */
const TWINS = ["../swap/u/keep", "../swap/g"];

/** What is kept is told apart by its inode, wherever it is. */
function layOut({ workspace, outside }: Place): number[] {
  for (const folder of [...KEPT, ...TWINS]) {
    fs.mkdirSync(path.join(workspace, folder), { recursive: true });
    fs.writeFileSync(path.join(workspace, folder, "f"), "as it was");
  }
  for (const folder of ["keep", "q", "hooks"]) fs.mkdirSync(path.join(outside, folder));
  fs.symlinkSync(outside, path.join(workspace, "x"));
  fs.symlinkSync(outside, path.join(workspace, "l"));
  return KEPT.map((name) => fs.statSync(path.join(workspace, name)).ino);
}

/** The one who swaps may swap everything; what is kept and what lies outside stay the caller's. */
function giveAway({ workspace, outside }: Place, user: SandboxUser): void {
  if (process.getuid?.() !== 0) return;
  const swapped = ["", "a", "t", "p", "x", "l", "../swap", "../swap/u", "../swap/g"];
  for (const name of swapped) fs.lchownSync(path.join(workspace, name), ORDINARY, ORDINARY);
  // Root is nobody special in a sandbox: it needs the permission of whoever owns the folder.
  fs.chmodSync(workspace, 0o777);
  // Else its owner alone could move it to another folder.
  fs.chmodSync(path.join(workspace, ".git"), 0o777);
  if (user === "root") return;
  for (const name of [...KEPT, ...TWINS]) {
    fs.lchownSync(path.join(workspace, name), ORDINARY, ORDINARY);
  }
  for (const name of ["", "keep", "q", "hooks"]) {
    fs.lchownSync(path.join(outside, name), ORDINARY, ORDINARY);
  }
}

/** Where the kept folders are now, and what is in them. */
function contentsOf(workspace: string, inodes: readonly number[]): string[][] {
  const base = path.dirname(workspace);
  const all = fs
    .readdirSync(base, { recursive: true, encoding: "utf8" })
    .map((name) => path.join(base, name))
    .filter((file) => fs.lstatSync(file).isDirectory());
  return inodes.map((ino) => {
    const found = all.find((folder) => fs.statSync(folder).ino === ino);
    return found === undefined ? ["gone"] : fs.readdirSync(found);
  });
}

interface Counts {
  readonly ran: number;
  readonly refused: number;
  readonly ended: number;
  readonly odd: readonly string[];
}

async function driven(place: Place, user: SandboxUser): Promise<Counts> {
  const driver = path.join(path.dirname(place.workspace), "home/race-driver.ts");
  fs.copyFileSync(path.join(import.meta.dirname, "support/race-driver.ts"), driver);
  // Whoever cloned may have done so for themselves alone.
  fs.chmodSync(driver, 0o644);
  const node = path.join(place.installed, "node_modules/.bin/node");
  const ordinary =
    user === "ordinary" && process.getuid?.() === 0 ? { uid: ORDINARY, gid: ORDINARY } : {};
  const args = [driver, place.installed, place.workspace, String(TIME_MS)];
  const child = spawn(node, args, {
    env: place.env,
    ...ordinary,
    stdio: ["ignore", "pipe", "ignore"],
  });
  let text = "";
  child.stdout.on("data", (chunk) => {
    text += chunk;
  });
  await once(child, "close");
  return JSON.parse(text);
}

describe.each(USERS)("while somebody swaps what a sandbox is made of, as %s", (user) => {
  it("D4 D6 nothing protected is written and nothing lands outside; some runs are refused and some run", {
    timeout: 300_000,
  }, async () => {
    const place = placeFor(user);
    const inodes = layOut(place);
    giveAway(place, user);
    const before = stateOf(place.outside);
    const swapper = spawn("perl", ["-e", SWAP, place.outside], {
      cwd: place.workspace,
      stdio: "ignore",
      ...(process.getuid?.() === 0 && { uid: ORDINARY, gid: ORDINARY }),
    });
    onTestFinished(() => void swapper.kill());
    const { ran, refused, ended, odd } = await driven(place, user);
    swapper.kill();
    await once(swapper, "close");
    expect(odd).toEqual([]);
    expect(isAlive(place.workspace)).toBe(false);
    expect(contentsOf(place.workspace, inodes)).toEqual([["f"], ["f"], ["f"], ["f"]]);
    expect(stateOf(place.outside)).toEqual(before);
    expect(fs.existsSync(path.join(place.workspace, "control"))).toBe(true);
    expect(Math.min(ran, refused, ran + refused + ended - 100)).toBeGreaterThan(0);
  });
});
