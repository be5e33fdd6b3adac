/**
 * Keeps the compiled code of this program from one start to the next.
 *
 * Node's own cache holds what a file needs to be loaded, and none of the functions that are called
 * afterwards. A command that is over at once spends more on compiling those than on all it does, so
 * here the code is kept as it is when the command has ended.
 *
 * Whoever writes these files decides what the next start runs. They lie in the home of writ, which
 * no sandbox of that home shows, and one that somebody else could have written is not used.
 */
import fs from "node:fs";
import module from "node:module";
import path from "node:path";
import vm from "node:vm";
import { makeFolder } from "../../sandbox/index.ts";

/** Where the program lies, and where its code is kept. */
export interface CodePlaces {
  readonly program: string;
  readonly kept: string;
  /** What that lies in. Where it is not, or is somebody else's, nothing is kept. */
  readonly home: string;
}

interface Loaded {
  readonly kept: string;
  readonly key: Buffer;
  readonly script: vm.Script;
}

/** From now on files of the program are loaded with the code that was kept of them. */
export function keepCode({ program, kept, home }: CodePlaces): void {
  const loaders = module.createRequire(path.join(program, "main.js")).extensions;
  const usual = loaders[".js"];
  const fresh: Loaded[] = [];
  loaders[".js"] = (target, file) => {
    if (path.dirname(file) !== program) return usual(target, file);
    const loaded = load(file, path.join(kept, file));
    if (loaded.isFresh) fresh.push(loaded);
    run(loaded.script, target, file);
  };
  process.once("exit", (status) => {
    // Who went wrong has not called what others call.
    if (status !== 0 || fresh.length === 0 || !isOwnFolder(home)) return;
    for (const one of fresh) trying(() => keep(one));
    trying(() => forget(path.join(kept, program), program));
  });
}

function load(file: string, kept: string): Loaded & { readonly isFresh: boolean } {
  const { bytes, found } = read(file);
  const key = keyOf(file, found);
  const cachedData = codeIn(kept, key);
  const script = new vm.Script(module.wrap(bytes.toString()), {
    filename: file,
    importModuleDynamically: vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
    ...(cachedData && { cachedData }),
  });
  const isFresh = cachedData === undefined || script.cachedDataRejected === true;
  return { kept, key, script, isFresh };
}

function run(script: vm.Script, target: NodeModule, file: string): void {
  const body = script.runInThisContext();
  const { exports } = target;
  body.call(exports, exports, module.createRequire(file), target, file, path.dirname(file));
}

/** Says of which file the code is. The engine itself looks at its length and at nothing else. */
function keyOf(file: string, { dev, ino, size, ctimeMs }: fs.Stats): Buffer {
  return Buffer.from([process.version, process.arch, file, dev, ino, size, ctimeMs].join("\n"));
}

/**
 * The code that was kept under this key: twice, and then the key. To compare two halves costs
 * next to nothing, and the engine would run what is damaged.
 */
function codeIn(kept: string, key: Buffer): Buffer | undefined {
  const whole = ownBytes(kept);
  if (whole === undefined) return undefined;
  const half = (whole.length - key.length) / 2;
  if (half < 1 || !whole.subarray(2 * half).equals(key)) return undefined;
  const code = whole.subarray(0, half);
  return code.equals(whole.subarray(half, 2 * half)) ? code : undefined;
}

/** Nothing unless this user alone can have written it. */
function ownBytes(file: string): Buffer | undefined {
  try {
    const { bytes, found } = read(file);
    return found.isFile() && isOwn(found) ? bytes : undefined;
  } catch {
    return undefined;
  }
}

/** What is read and what is known of it are of one file, also where another takes its place. */
function read(file: string): { readonly bytes: Buffer; readonly found: fs.Stats } {
  const fd = fs.openSync(file, fs.constants.O_RDONLY | fs.constants.O_NOFOLLOW);
  try {
    return { found: fs.fstatSync(fd), bytes: fs.readFileSync(fd) };
  } finally {
    fs.closeSync(fd);
  }
}

const WRITE_FOR_OTHERS = 0o022;

function isOwn(found: fs.Stats): boolean {
  const isOurs = process.getuid !== undefined && found.uid === process.getuid();
  return isOurs && (found.mode & WRITE_FOR_OTHERS) === 0;
}

/** Nobody else could put a link into such a one, to have files of others replaced or removed. */
function isOwnFolder(folder: string): boolean {
  const found = fs.statSync(folder, { throwIfNoEntry: false });
  return found?.isDirectory() === true && isOwn(found);
}

/** Whole or not at all: others may start meanwhile. */
function keep({ kept, key, script }: Loaded): void {
  const code = script.createCachedData();
  const folder = path.dirname(kept);
  makeFolder(folder);
  const whole = path.join(folder, `.${process.pid}`);
  fs.writeFileSync(whole, Buffer.concat([code, code, key]), { mode: 0o600, flag: "wx" });
  fs.renameSync(whole, kept);
}

/** Of files that are gone nothing is kept: each build of the program has its own. */
function forget(kept: string, program: string): void {
  for (const name of fs.readdirSync(kept)) {
    if (!fs.existsSync(path.join(program, name))) fs.rmSync(path.join(kept, name));
  }
}

/** A start without what is kept is slower, and nothing else. */
function trying(act: () => void): void {
  try {
    act();
  } catch {
    // Said above.
  }
}
