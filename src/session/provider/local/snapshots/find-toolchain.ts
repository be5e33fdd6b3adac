/** The programs of this machine that build a layer, and what tells them from others. */
import fs from "node:fs";
import path from "node:path";
import { type AbsolutePath, isWithin, parseAbsolutePath } from "../../../../policy/index.ts";
import { Refusal } from "../../../refusal.ts";

type Environment = Readonly<Record<string, string | undefined>>;

export interface Toolchain {
  readonly node: AbsolutePath;
  /** The script that `npm` is. */
  readonly npm: AbsolutePath;
  /** What a sandbox has to see of both. */
  readonly folders: readonly AbsolutePath[];
}

/** Where they really lie. Throws `unsupported` where one is missing, or lies where it cannot be shown alone. */
export function findToolchain(env: Environment): Toolchain {
  const node = demand("node", env);
  const npm = demand("npm", env);
  if (!npm.endsWith(".js")) throw shim(npm);
  const folders = [path.dirname(node), path.dirname(path.dirname(npm))].map(parseAbsolutePath);
  for (const folder of folders) refuseHome(folder, env);
  return { node, npm, folders };
}

/** Another program in its place makes other layers, so its size and time are part of the name. */
export function runtimeOf(env: Environment): string {
  const kind = `${process.platform}-${process.arch}`;
  const node = realProgram("node", env);
  if (node === undefined) return `local ${kind} without node`;
  const { size, mtimeMs } = fs.statSync(node);
  return `local ${kind} ${node} ${size} ${Math.floor(mtimeMs)}`;
}

function demand(name: string, env: Environment): AbsolutePath {
  const found = realProgram(name, env);
  if (found !== undefined) return found;
  throw new Refusal(
    "unsupported",
    `Cannot install packages of npm: there is no "${name}" on the PATH of this machine, expected one`,
  );
}

/** A program that looks for the real one may find it anywhere. */
function shim(npm: string): Refusal {
  return new Refusal(
    "unsupported",
    `Cannot install packages with "${npm}": it is no script of npm's, expected the one that comes with Node.js`,
  );
}

function realProgram(name: string, { PATH = "" }: Environment): AbsolutePath | undefined {
  for (const folder of PATH.split(":").filter((one) => path.isAbsolute(one))) {
    try {
      const real = fs.realpathSync(path.join(folder, name));
      fs.accessSync(real, fs.constants.X_OK);
      if (fs.statSync(real).isFile()) return parseAbsolutePath(real);
    } catch {
      // Not there.
    }
  }
  return undefined;
}

/** Whatever builds a layer has the network: it must not see what else the user has. */
function refuseHome(folder: AbsolutePath, { HOME = "" }: Environment): void {
  if (!path.isAbsolute(HOME)) {
    throw new Refusal(
      "unsupported",
      "Cannot keep the home of this user from a build: nothing says where it is, expected an absolute path in HOME",
    );
  }
  if (folder !== "/" && !isWithin(realFolder(HOME), folder)) return;
  throw new Refusal(
    "unsupported",
    `Cannot build with the programs in "${folder}": the folder holds the home of this user, expected one of their own`,
  );
}

/** A home may lie behind a link, and programs are known by where they really lie. */
function realFolder(folder: string): AbsolutePath {
  try {
    return parseAbsolutePath(fs.realpathSync(folder));
  } catch {
    return parseAbsolutePath(folder);
  }
}
