/**
 * Runs cases, one per line of its input, as whoever starts it, and says in which answers a command
 * in the sandbox and the file operations differ.
 */
import fs from "node:fs";
import path from "node:path";
import readline from "node:readline";
import { ExecError } from "../../../../src/exec/exec-error.ts";
import type { ExecHost } from "../../../../src/exec/exec-host.ts";
import { createLocalFiles } from "../../../../src/exec/files/create-local-files.ts";
import { bindIntent } from "../../../../src/exec/intent/bind-intent.ts";
import { intentOfWire } from "../../../../src/exec/intent/intent-of-wire.ts";
import { accessTo, parseAbsolutePath, uriOfNative } from "../../../../src/policy/index.ts";
import { planOnHost, SandboxError } from "../../../../src/sandbox/index.ts";
import type { AlikeCase, Item } from "./alike-case.ts";
import { askCommand, askFiles, commandFor, type Probe, VERBS } from "./alike-probes.ts";

interface Asked extends AlikeCase {
  readonly names: readonly string[];
}

for await (const line of readline.createInterface({ input: process.stdin })) {
  const base = fs.mkdtempSync("/var/tmp/writ-alike-");
  try {
    process.stdout.write(`${JSON.stringify(await differences(base, JSON.parse(line)))}\n`);
  } catch (error) {
    process.stdout.write(`${JSON.stringify([String(error)])}\n`);
  } finally {
    clear(base);
    fs.rmdirSync(base);
  }
}

async function differences(base: string, asked: Asked): Promise<string[]> {
  layOut(base, asked.items);
  const probes = probesOf(base, asked.names);
  const host = hostAt(base);
  const intent = intentOfWire(contextOf(base, asked), "client");
  const { bound } = bindIntent(intent, undefined, host);
  const request = {
    command: commandFor(probes),
    cwd: parseAbsolutePath("/usr"),
    env: {},
    profile: bound,
    terminal: "none",
  } as const;
  const plan = await planOnHost(request, host.own).catch(unlessUnbuilt);
  const files = createLocalFiles(host);
  if (plan === undefined)
    return refusedToo(() => askFiles(files, { sandbox: intent, anchor: null }, probes));
  const made = plan.placeholders.map((one) => one.path as string);
  // What is granted and missing is shown as an empty folder inside, and can be made outside.
  const missing = made.filter((one) => !fs.existsSync(one));
  const ruled = asked.rules.map(({ name }) => path.join(base, name));
  const isGranted = (at: string) => accessTo(bound, parseAbsolutePath(at)) === "write";
  const command = await askCommand(plan, host.records).catch(unlessUnbuilt);
  if (command === undefined) return [];
  layOut(base, asked.items);
  const direct = await askFiles(files, { sandbox: intent, anchor: null }, probes);
  return probes.flatMap((probe, index) => {
    const [theirs = "", ours = ""] = [command[index], direct[index]];
    const leads = (at: string) => followed(base, asked.items, at);
    // What makes and removes names does not follow the last one.
    const { dir, base: last } = path.parse(probe.path);
    const isOfName = ["create", "mkdir", "remove"].includes(probe.verb);
    const real = isOfName ? path.join(leads(dir), last) : leads(probe.path);
    const granted = isGranted(real);
    const problem = compare(
      { ...probe, path: real },
      { theirs, ours, missing, granted, ruled, glob: asked.glob },
    );
    return problem ? [`${probe.verb} ${probe.path.slice(base.length)}: ${problem}`] : [];
  });
}

/** A sandbox that cannot be built answers nothing. */
function unlessUnbuilt(error: unknown): undefined {
  if (error instanceof SandboxError) return undefined;
  throw error;
}

/** Where a path leads, also when nothing is there. */
function followed(base: string, items: readonly Item[], at: string): string {
  for (const { name, kind, target = "" } of items) {
    const link = path.join(base, name);
    const isOnWay = kind === "link" && target !== path.basename(name);
    if (!isOnWay || (at !== link && !at.startsWith(`${link}/`))) continue;
    const leads = path.resolve(path.dirname(link), target) + at.slice(link.length);
    return followed(base, items, leads);
  }
  return at;
}

interface Answers {
  readonly theirs: string;
  readonly ours: string;
  /** What only exists while the sandbox does. */
  readonly missing: readonly string[];
  readonly granted: boolean;
  /** Paths that rules name. */
  readonly ruled: readonly string[];
  readonly glob: string | null;
}

function compare(probe: Probe, answers: Answers): string | undefined {
  const { theirs, ours } = answers;
  if (theirs === ours || isKnown(probe, answers)) return undefined;
  return `${theirs} in the sandbox, ${ours} by file operation`;
}

/** Where a sandbox has to do something else. */
function isKnown({ verb, path: at }: Probe, answers: Answers): boolean {
  const { theirs, ours, missing, granted, ruled, glob } = answers;
  // What it makes for itself exists inside only.
  if (missing.some((one) => at === one || at.startsWith(`${one}/`)))
    return ours !== "ok" || granted;
  if (ours !== "denied") return false;
  // It hides what exists when it starts; a pattern is asked each time.
  const isNew = (verb === "create" || verb === "mkdir") && theirs === "ok";
  if (isNew && glob !== null && at.endsWith(".env")) return true;
  // The next one would hold on to a folder that a path with a rule has just gone from.
  return verb === "remove" && ruled.some((one) => one.startsWith(`${at}/`));
}

async function refusedToo(ask: () => Promise<unknown>): Promise<string[]> {
  try {
    await ask();
    return ["no sandbox could be planned, but file operations worked"];
  } catch (error) {
    return error instanceof ExecError && error.code === "unenforceable" ? [] : [String(error)];
  }
}

/** Removals come last and from the leaves, so that both sides meet the same tree at each. */
function probesOf(base: string, names: readonly string[]): Probe[] {
  const paths = names.map((name) => path.join(base, name));
  const found = (at: string) => fs.statSync(at, { throwIfNoEntry: false });
  const kindOf = (at: string) => {
    try {
      return found(at)?.isDirectory() ? "folder" : found(at)?.isFile() ? "file" : "none";
    } catch {
      return "none";
    }
  };
  const isFit = (verb: (typeof VERBS)[number], at: string) => {
    const kind = kindOf(at);
    const there = fs.lstatSync(at, { throwIfNoEntry: false }) !== undefined;
    if (verb === "read" || verb === "write") return kind === "file" || !there;
    if (verb === "create") return !there;
    return true;
  };
  const uses = paths.flatMap((at) =>
    VERBS.filter(
      (verb) => verb !== "remove" && verb !== "write" && isSafe(() => isFit(verb, at)),
    ).map((verb): Probe => ({ verb, path: at })),
  );
  const writes = paths
    .filter((at) => isSafe(() => kindOf(at) === "file"))
    .map((at): Probe => ({ verb: "write", path: at }));
  const inFolders = paths
    .filter((at) => kindOf(at) === "folder")
    .flatMap((at): Probe[] => [
      { verb: "create", path: `${at}/new` },
      { verb: "mkdir", path: `${at}/new` },
      { verb: "read", path: `${at}/new` },
      { verb: "create", path: `${at}/new.env` },
    ]);
  // A link goes last: with it may go the name by which a pattern denies something.
  const isLink = (at: string) => isSafe(() => fs.lstatSync(at).isSymbolicLink());
  const removals = [
    ...paths.toReversed().filter((at) => !isLink(at)),
    ...paths.filter((at) => isLink(at)),
  ].map((at): Probe => ({ verb: "remove", path: at }));
  return [...uses, ...writes, ...inFolders, ...removals];
}

/** A path below a file has nothing to look at. */
function isSafe(look: () => boolean): boolean {
  try {
    return look();
  } catch {
    return true;
  }
}

function layOut(base: string, items: readonly Item[]): void {
  clear(base);
  for (const name of ["ws", "home", "prog", "records"]) fs.mkdirSync(path.join(base, name));
  for (const item of items) make(path.join(base, item.name), item);
  for (const { name, mode, owner } of items) {
    const at = path.join(base, name);
    if (process.geteuid?.() === 0 && owner !== undefined) fs.chownSync(at, owner, owner);
    if (mode !== undefined) fs.chmodSync(at, mode);
  }
}

function make(at: string, { kind, target = "" }: Item): void {
  fs.mkdirSync(kind === "folder" ? at : path.dirname(at), { recursive: true });
  if (kind === "link") fs.symlinkSync(target, at);
  if (kind === "file") fs.writeFileSync(at, "text");
}

function clear(folder: string): void {
  for (const entry of fs.readdirSync(folder, { withFileTypes: true })) {
    const at = path.join(folder, entry.name);
    if (entry.isDirectory()) {
      fs.chmodSync(at, 0o700);
      clear(at);
      fs.rmdirSync(at);
    } else fs.unlinkSync(at);
  }
}

function hostAt(base: string): ExecHost {
  const at = (name: string) => parseAbsolutePath(path.join(base, name));
  return {
    env: { HOME: at("home") },
    platform: "linux",
    own: { hidden: [at("home")], readOnly: [at("prog")] },
    records: at("records"),
    tmpdir: undefined,
    homes: [],
    externalSandbox: "absent",
    bounds: { ceilings: [], roots: [at("ws")], waivers: "refused", hostNetwork: "refused" },
  };
}

function contextOf(base: string, { root, workspace, rules, glob }: Asked) {
  const special = (kind: string) => ({ type: "special", value: { kind } });
  const entries = [
    { path: special(root === "read" ? "root" : "minimal"), access: "read" },
    { path: special("project_roots"), access: workspace },
    ...rules.map(({ name, access }) => ({
      path: { type: "path", path: uriOfNative(path.join(base, name)) },
      access,
    })),
    ...(glob === null
      ? []
      : [
          {
            path: { type: "glob_pattern", pattern: `codex-project-roots://${glob}` },
            access: "deny",
          },
        ]),
  ];
  return {
    permissions: {
      type: "managed",
      file_system: { type: "restricted", entries },
      network: "restricted",
    },
    cwd: uriOfNative(path.join(base, "ws")),
    workspaceRoots: [uriOfNative(path.join(base, "ws"))],
    windowsSandboxLevel: "disabled",
  };
}
