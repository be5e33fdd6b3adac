/** What the host refused, in words for a person; whatever else it is, in its own. */
export function systemProblem(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  const code = "code" in cause ? String(cause.code) : "";
  return WORDS[code] ?? cause.message;
}

const WORDS: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file",
  EEXIST: "a file is in its way",
  ENOTDIR: "a file is in its way",
  EISDIR: "it is a folder",
  EACCES: "this user may not",
  EPERM: "this user may not",
  ENAMETOOLONG: "its name is too long",
  EROFS: "its file system is read-only",
  ENOSPC: "there is no room",
};
