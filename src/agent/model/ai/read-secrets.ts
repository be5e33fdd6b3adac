import { ModelError } from "../model-error.ts";
import type { ModelProvider } from "./model-provider.ts";

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/;

type Variables = Readonly<Record<string, string | undefined>>;

/** What only the provider may see. */
export interface ProviderSecrets {
  /** Nothing where it takes none. */
  readonly key: string | undefined;
  /** Headers whose values are secrets, too. */
  readonly headers: Readonly<Record<string, string>>;
}

/** The secrets of a provider, now. Throws where one is missing or would travel in the clear. */
export function readSecrets(
  { name, envKey, baseUrl, envHttpHeaders = {} }: ModelProvider,
  env: Variables,
): ProviderSecrets {
  const url = URL.parse(baseUrl);
  if (url === null || !/^https?:$/.test(url.protocol) || url.username + url.password !== "") {
    const what = "its base URL cannot be used, expected a plain URL that starts with https://";
    throw new ModelError("rejected", `Cannot ask provider "${name}": ${what}`);
  }
  const readAs = (variable: string) => secretIn(variable, { name, env });
  const secrets = {
    key: envKey === undefined ? undefined : readAs(envKey),
    headers: mapValues(envHttpHeaders, readAs),
  };
  const isOpen = envKey === undefined && Object.keys(envHttpHeaders).length === 0;
  if (isOpen || url.protocol === "https:" || LOOPBACK.test(url.hostname)) return secrets;
  const what = `its key would travel to "${url.hostname}" in the clear, expected https://`;
  throw new ModelError("rejected", `Cannot ask provider "${name}": ${what}`);
}

function secretIn(
  variable: string,
  { name, env }: { readonly name: string; readonly env: Variables },
): string {
  const value = env[variable];
  if (value === undefined || value === "") {
    const what = `the variable "${variable}" is ${value === "" ? "empty" : "not set"}, expected a key`;
    throw new ModelError("unavailable", `Cannot ask provider "${name}": ${what}`);
  }
  if (/^[\x21-\x7e]+$/.test(value)) return value;
  const what = `the variable "${variable}" holds characters that no header can, expected a key`;
  throw new ModelError("unavailable", `Cannot ask provider "${name}": ${what}`);
}

function mapValues(
  table: Readonly<Record<string, string>>,
  read: (value: string) => string,
): Record<string, string> {
  return Object.fromEntries(Object.entries(table).map(([name, value]) => [name, read(value)]));
}
