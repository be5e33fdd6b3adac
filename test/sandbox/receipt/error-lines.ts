/**
 * What real programs printed when a sandbox refused them something.
 *
 * Collected by running each under bubblewrap in a read-only `/srv/ro`, as an ordinary user, with no
 * network and the filter of `filterFor`; `secret` and `hid` there may not be read by anybody. Long
 * stack traces are cut to the lines that matter, and paths are shortened or exchanged where a case
 * needs another one; the words around them are as printed.
 */
export interface ErrorLines {
  readonly program: string;
  readonly text: string;
  /** What must be found, as `wanted path`, `network host` or `unixSocket path`. */
  readonly denied: readonly string[];
}

const one = (program: string, text: string, ...denied: string[]): ErrorLines => ({
  program,
  text,
  denied,
});

const writes = (program: string, text: string, name: string) =>
  one(program, text, `write /srv/ro/${name}`);
const reads = (program: string, text: string, name: string) =>
  one(program, text, `read /srv/ro/${name}`);

const COREUTILS: readonly ErrorLines[] = [
  writes("touch", "touch: cannot touch 'new': Read-only file system", "new"),
  writes("touch", `touch: cannot touch "a b/it's": Read-only file system`, "a b/it's"),
  writes("touch", "touch: cannot touch 'a'$'\\n''b': Read-only file system", "a\nb"),
  writes("touch", "touch: cannot touch 'it'\\''s'$'\\n''b': Read-only file system", "it's\nb"),
  writes("touch", "touch: cannot touch 'a\\b': Read-only file system", "a\\b"),
  writes("touch, UTF-8", "touch: cannot touch 'café': Read-only file system", "café"),
  writes("touch, C", "touch: cannot touch 'caf'$'\\303\\251': Read-only file system", "café"),
  one("touch, a name that is no text", "touch: cannot touch 'bad'$'\\377': Read-only file system"),
  writes("mkdir, UTF-8", "mkdir: cannot create directory ‘dir’: Read-only file system", "dir"),
  writes("mkdir, C", "mkdir: cannot create directory 'dir': Read-only file system", "dir"),
  writes("rm", "rm: cannot remove 'f': Read-only file system", "f"),
  writes("rmdir", "rmdir: failed to remove 'sub': Read-only file system", "sub"),
  writes("cp", "cp: cannot create regular file 'g': Read-only file system", "g"),
  writes(
    "git init",
    "fatal: cannot copy '/usr/share/git-core/templates/description' to '/srv/ro/.git/description': Read-only file system",
    ".git/description",
  ),
  writes(
    "node, copyFileSync",
    "Error: EROFS: read-only file system, copyfile '/srv/ro/f' -> '/srv/ro/g'",
    "g",
  ),
  one(
    "mv",
    "mv: cannot move 'f' to 'g': Read-only file system",
    "write /srv/ro/f",
    "write /srv/ro/g",
  ),
  writes("mv", "mv: cannot move '/srv/ro' to '/tmp/x': Device or resource busy", "."),
  writes("ln", "ln: failed to create hard link 'g': Read-only file system", "g"),
  writes("ln -s", "ln: failed to create symbolic link 'g': Read-only file system", "g"),
  writes("chmod", "chmod: changing permissions of 'f': Read-only file system", "f"),
  writes("chown", "chown: changing ownership of 'f': Read-only file system", "f"),
  writes("truncate", "truncate: cannot open 'f' for writing: Permission denied", "f"),
  writes("dd", "dd: failed to open 'g': Read-only file system", "g"),
  writes("tee", "tee: g: Read-only file system", "g"),
  writes("mkfifo", "mkfifo: cannot create fifo 'p': Read-only file system", "p"),
  writes("sort", "sort: open failed: g: Read-only file system", "g"),
  writes("split", "split: xaa: Read-only file system", "xaa"),
  reads("cat", "cat: secret: Permission denied", "secret"),
  reads("cat", "cat: hid/x: Permission denied", "hid/x"),
  reads("cat", "cat: hid/y: No such file or directory", "hid/y"),
  one("cat", "cat: nothere: No such file or directory"),
  reads("head", "head: cannot open 'secret' for reading: Permission denied", "secret"),
  reads("ls", "ls: cannot open directory 'hid': Permission denied", "hid"),
  reads("ls", "ls: cannot access 'hid/x': Permission denied", "hid/x"),
  reads("cp", "cp: cannot open 'secret' for reading: Permission denied", "secret"),
];

const TOOLS: readonly ErrorLines[] = [
  reads("grep", "grep: secret: Permission denied", "secret"),
  writes(
    "sed -i",
    "sed: couldn't open temporary file ./seda5llRl: Read-only file system",
    "seda5llRl",
  ),
  reads("sed", "sed: can't read secret: Permission denied", "secret"),
  reads("find", "find: ‘hid’: Permission denied", "hid"),
  writes("tar", "tar: new.tar: Cannot open: Read-only file system", "new.tar"),
  reads("awk", "awk: cannot open secret (Permission denied)", "secret"),
  writes("wget", "/srv/ro/g: Read-only file system", "g"),
  writes("xz", "xz: f.xz: Read-only file system", "f.xz"),
  writes("gcc", "/usr/bin/ld: cannot open output file a.out: Read-only file system", "a.out"),
  writes(
    "javac",
    "M.java:1: error: error while writing M: /srv/ro/M.class: Read-only file system",
    "M.class",
  ),
  writes("ssh-keygen", 'Saving key "key" failed: Read-only file system', "key"),
  writes("make", "touch made\ntouch: cannot touch 'made': Read-only file system\n", "made"),
  one("zip, which names no path there", "zip I/O error: Read-only file system"),
];

const SHELLS: readonly ErrorLines[] = [
  writes("bash", "bash: line 1: g: Read-only file system", "g"),
  writes("bash", "bash: line 1: a b/g: Read-only file system", "a b/g"),
  reads("bash", "bash: line 1: secret: Permission denied", "secret"),
  reads("bash", "bash: line 1: ./secret: Permission denied", "secret"),
  reads("bash", "bash: line 1: cd: hid: Permission denied", "hid"),
  reads("bash", "bash: secret: Permission denied", "secret"),
  writes("dash", "dash: 1: cannot create g: Read-only file system", "g"),
  reads("dash", "dash: 1: cannot open secret: Permission denied", "secret"),
  reads("dash", "dash: 1: ./secret: Permission denied", "secret"),
];

const LANGUAGES: readonly ErrorLines[] = [
  writes("python3", "OSError: [Errno 30] Read-only file system: 'g'", "g"),
  one(
    "python3",
    "OSError: [Errno 30] Read-only file system: 'f' -> 'g'",
    "write /srv/ro/f",
    "write /srv/ro/g",
  ),
  writes("python3", `OSError: [Errno 30] Read-only file system: "a b/it's x"`, "a b/it's x"),
  writes("python3", "OSError: [Errno 30] Read-only file system: 'a\\nbé'", "a\nbé"),
  writes("python3 -m venv", "Error: [Errno 30] Read-only file system: '/srv/ro/v'", "v"),
  reads("python3", "PermissionError: [Errno 13] Permission denied: 'secret'", "secret"),
  reads(
    "python3",
    "python3: can't open file '/srv/ro/secret': [Errno 13] Permission denied",
    "secret",
  ),
  reads("python3", "FileNotFoundError: [Errno 2] No such file or directory: 'hid/x'", "hid/x"),
  writes("node", "Error: EROFS: read-only file system, open 'g'", "g"),
  writes("node", "Error: EROFS: read-only file system, open 'it's new'", "it's new"),
  writes("node", "Error: EROFS: read-only file system, mkdir '/srv/ro/d'", "d"),
  one(
    "node",
    "Error: EROFS: read-only file system, rename 'f' -> 'g'",
    "write /srv/ro/f",
    "write /srv/ro/g",
  ),
  reads("node", "Error: EACCES: permission denied, open 'secret'", "secret"),
  reads("node", "Error: EACCES: permission denied, scandir 'hid'", "hid"),
  reads("node", "Error: ENOENT: no such file or directory, open 'hid/x'", "hid/x"),
  writes("perl", "Cannot open g: Read-only file system at -e line 1.", "g"),
  one("perl, which names no path there", "mkdir: Read-only file system at -e line 1."),
  reads("perl", `Can't open perl script "secret": Permission denied`, "secret"),
  writes(
    "perl -pi",
    "Can't do inplace edit on f: Cannot make temp name: Read-only file system.",
    "f",
  ),
  writes(
    "rustc",
    `error: couldn't create a temp dir: Read-only file system (os error 30) at path "/srv/ro/rmetaymkM6h"`,
    "rmetaymkM6h",
  ),
];

const PACKAGES: readonly ErrorLines[] = [
  writes("git init", "fatal: cannot mkdir new: Read-only file system", "new"),
  writes("git init", "/srv/ro/.git: Read-only file system", ".git"),
  writes(
    "git add",
    "fatal: Unable to create '/srv/ro/.git/index.lock': Read-only file system",
    ".git/index.lock",
  ),
  writes(
    "git config",
    "error: could not lock config file .git/config: Read-only file system",
    ".git/config",
  ),
  writes(
    "git tag",
    "fatal: cannot lock ref 'refs/tags/t': Unable to create '/srv/ro/.git/refs/tags/t.lock': Read-only file system",
    ".git/refs/tags/t.lock",
  ),
  writes("git clone", "fatal: could not create work tree dir 'r2': Read-only file system", "r2"),
  writes(
    "npm init",
    "npm error code EROFS\nnpm error syscall open\nnpm error path /srv/ro/package.json\nnpm error errno -30\nnpm error rofs EROFS: read-only file system, open '/srv/ro/package.json'\nnpm error rofs Often virtualized file systems, or other file systems that don't support symlinks, give this error.",
    "package.json",
  ),
  writes(
    "cargo build",
    "error: failed to write /srv/ro/Cargo.lock\n\nCaused by:\n  failed to open: /srv/ro/Cargo.lock\n\nCaused by:\n  Read-only file system (os error 30)",
    "Cargo.lock",
  ),
  writes(
    "cargo new",
    "error: failed to create package `x` at `/srv/ro/x`\n\nCaused by:\n  failed to create directory `/srv/ro/x`\n\nCaused by:\n  Read-only file system (os error 30)",
    "x",
  ),
];

/** Taken from the text that Go's os package makes, since no Go was at hand to run. */
const NOT_RUN: readonly ErrorLines[] = [
  reads("go", "open secret: permission denied", "secret"),
  writes("go", "panic: mkdir /srv/ro/d: read-only file system", "d"),
];

const NETWORK: readonly ErrorLines[] = [
  one("curl", "curl: (6) Could not resolve host: example.com", "network example.com"),
  one(
    "curl",
    "curl: (7) Failed to connect to 192.0.2.1 port 80 after 0 ms: Couldn't connect to server",
    "network 192.0.2.1",
  ),
  one(
    "curl to a service that is not there",
    "curl: (7) Failed to connect to 127.0.0.1 port 9 after 0 ms: Couldn't connect to server",
  ),
  one("wget", "wget: unable to resolve host address ‘example.com’", "network example.com"),
  one("wget", "Connecting to 192.0.2.1:80... failed: Network is unreachable.", "network 192.0.2.1"),
  one(
    "git clone",
    "fatal: unable to access 'https://example.com/x.git/': Could not resolve host: example.com",
    "network example.com",
  ),
  one(
    "ssh",
    "ssh: Could not resolve hostname example.com: Temporary failure in name resolution",
    "network example.com",
  ),
  one("ssh", "ssh: connect to host 192.0.2.1 port 22: Network is unreachable", "network 192.0.2.1"),
  one(
    "python3",
    "urllib.error.URLError: <urlopen error [Errno -3] Temporary failure in name resolution>",
    "network null",
  ),
  one("python3", "OSError: [Errno 101] Network is unreachable", "network null"),
  one("node", "  [cause]: Error: getaddrinfo EAI_AGAIN example.com", "network example.com"),
  one("node", "Error: connect ENETUNREACH 192.0.2.1:80 - Local (0.0.0.0:0)", "network 192.0.2.1"),
  one(
    "npm view",
    "npm error request to https://registry.npmjs.org/left-pad failed, reason: getaddrinfo EAI_AGAIN registry.npmjs.org",
    "network registry.npmjs.org",
  ),
  one(
    "cargo build",
    "warning: spurious network error (3 tries remaining): [6] Could not resolve hostname (Could not resolve host: index.crates.io)",
    "network index.crates.io",
  ),
  one("bash", "bash: line 1: /dev/tcp/192.0.2.1/80: Network is unreachable", "network 192.0.2.1"),
  one(
    "bash",
    "bash: line 1: example.com: Temporary failure in name resolution",
    "network example.com",
  ),
  one(
    "perl",
    "connect: IO::Socket::INET: connect: Network is unreachable at -e line 1.",
    "network null",
  ),
  one("perl", "socket: Operation not permitted at -e line 1.", "unixSocket null"),
  one("node", "Error: connect EPERM /run/x.sock", "unixSocket /run/x.sock"),
  one("node", "Error: listen EPERM: operation not permitted /tmp/x.sock", "unixSocket /tmp/x.sock"),
  one(
    "psql",
    'psql: error: connection to server on socket "/run/postgresql/.s.PGSQL.5432" failed: could not create socket: Operation not permitted',
    "unixSocket /run/postgresql/.s.PGSQL.5432",
  ),
];

/** Every case above. */
export const ERROR_LINES: readonly ErrorLines[] = [
  ...COREUTILS,
  ...TOOLS,
  ...SHELLS,
  ...LANGUAGES,
  ...PACKAGES,
  ...NOT_RUN,
  ...NETWORK,
];
