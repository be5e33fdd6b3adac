/** Which packages of models there are, and the versions that this layer was written against. */
const EXPECTED: ReadonlyMap<string, string> = new Map([
  ["@ai-sdk/anthropic", "4"],
  ["@ai-sdk/openai", "4"],
  ["@ai-sdk/openai-compatible", "3"],
]);

/**
 * What is wrong when a package was to be loaded and is not there, in a sentence.
 *
 * The program has them inside. Whoever embeds this layer installs those whose
 * models are asked; one that lacks a package of its own is broken, which is for itself to say.
 */
export function missingPackage(error: unknown): string | undefined {
  const isUnfound = error instanceof Error && "code" in error && error.code === NOT_FOUND;
  const name = isUnfound ? /^Cannot find package '([^']+)'/.exec(error.message)?.[1] : undefined;
  const version = EXPECTED.get(name ?? "");
  if (version === undefined) return undefined;
  return `the package ${name} is not installed. Run: npm install ${name}@${version}`;
}

const NOT_FOUND = "ERR_MODULE_NOT_FOUND";
