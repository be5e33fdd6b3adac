/**
 * Why a file operation was not carried out.
 *
 * The sentences are those that clients of this wire know from the operating
 * system and look for; what the policy refuses reads like what a command in the
 * sandbox would have been told.
 */
export type FileErrorCode =
  | "notFound"
  | "denied"
  | "readOnly"
  | "exists"
  | "notDirectory"
  | "isDirectory"
  | "notEmpty"
  | "busy"
  | "loop"
  /** The request itself cannot be meant: not a file, too large, a limit out of range. */
  | "invalid"
  /** A folder with more entries than are listed. */
  | "tooMany"
  /** A file that is larger than one answer can be; in blocks it can be read. */
  | "tooLarge"
  | "io";

const TEXTS: Record<Exclude<FileErrorCode, "invalid" | "tooMany" | "tooLarge" | "io">, string> = {
  notFound: "No such file or directory (os error 2)",
  denied: "Permission denied (os error 13)",
  readOnly: "Read-only file system (os error 30)",
  exists: "File exists (os error 17)",
  notDirectory: "Not a directory (os error 20)",
  isDirectory: "Is a directory (os error 21)",
  notEmpty: "Directory not empty (os error 39)",
  busy: "Resource busy (os error 16)",
  loop: "Symbolic link loop (os error 40)",
};

const BY_ERRNO: Readonly<Record<string, keyof typeof TEXTS>> = {
  ENOENT: "notFound",
  EACCES: "denied",
  EPERM: "denied",
  EROFS: "readOnly",
  EEXIST: "exists",
  ENOTDIR: "notDirectory",
  EISDIR: "isDirectory",
  ENOTEMPTY: "notEmpty",
  EBUSY: "busy",
  ELOOP: "loop",
};

/** What has no code of its own. In the words of the C library that these clients are built with, as those above. */
const IO_TEXTS: Readonly<Record<string, string>> = {
  EIO: "I/O error",
  EBADF: "Bad file descriptor",
  EXDEV: "Cross-device link",
  EINVAL: "Invalid argument",
  ENFILE: "Too many open files in system",
  EMFILE: "No file descriptors available",
  ETXTBSY: "Text file busy",
  EFBIG: "File too large",
  ENOSPC: "No space left on device",
  ENAMETOOLONG: "Filename too long",
  EDQUOT: "Quota exceeded",
};

/** Callers branch on `code`; people read `message`. */
export class FileError extends Error {
  override readonly name = "FileError";
  readonly code: FileErrorCode;
  /** The policy refused it, not the operating system. */
  readonly byPolicy: boolean;

  constructor(
    code: FileErrorCode,
    message: string,
    { byPolicy = false, ...options }: ErrorOptions & { readonly byPolicy?: boolean } = {},
  ) {
    super(message, options);
    this.code = code;
    this.byPolicy = byPolicy;
  }
}

/** An error in the words of the operating system. */
export function osError(code: keyof typeof TEXTS, options?: ErrorOptions): FileError {
  return new FileError(code, TEXTS[code], options);
}

/** The same, because the policy says so. */
export function refusal(code: keyof typeof TEXTS): FileError {
  return new FileError(code, TEXTS[code], { byPolicy: true });
}

/** What a call of the operating system failed with; whatever else was thrown stays what it is. */
export function fileErrorOf(cause: unknown): unknown {
  const { code, errno } = Object(cause) as NodeJS.ErrnoException;
  if (cause instanceof FileError || code === undefined || errno === undefined) return cause;
  const known = BY_ERRNO[code];
  if (known !== undefined) return osError(known, { cause });
  // Its text names the descriptor that was used, which tells nobody anything.
  return new FileError("io", `${IO_TEXTS[code] ?? code} (os error ${Math.abs(errno)})`, { cause });
}
