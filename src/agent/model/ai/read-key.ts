import { ModelError } from "../model-error.ts";
import type { ModelProvider } from "./model-provider.ts";

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/** The key of a provider, now; nothing where it takes none. Throws where it is missing or would travel in the clear. */
export function readKey(
  { name, envKey, baseUrl }: ModelProvider,
  env: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const url = URL.parse(baseUrl);
  if (url === null || !/^https?:$/.test(url.protocol) || url.username + url.password !== "") {
    const what = "its base URL cannot be used, expected a plain URL that starts with https://";
    throw new ModelError("rejected", `Cannot ask provider "${name}": ${what}`);
  }
  if (envKey === undefined) return undefined;
  const key = env[envKey];
  if (key === undefined || key === "") {
    const what = `the variable "${envKey}" is ${key === "" ? "empty" : "not set"}, expected a key`;
    throw new ModelError("unavailable", `Cannot ask provider "${name}": ${what}`);
  }
  if (!/^[\x21-\x7e]+$/.test(key)) {
    const what = `the variable "${envKey}" holds characters that no header can, expected a key`;
    throw new ModelError("unavailable", `Cannot ask provider "${name}": ${what}`);
  }
  if (url.protocol === "https:" || LOOPBACK.test(url.hostname)) return key;
  const what = `its key would travel to "${url.hostname}" in the clear, expected https://`;
  throw new ModelError("rejected", `Cannot ask provider "${name}": ${what}`);
}
