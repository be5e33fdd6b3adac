/**
 * Who answers for a model, as `[model_providers.NAME]` says it.
 *
 * Secrets are named, not held: a file names the variable that has the key. What
 * is not known here only makes a request fail, so it is noted and not refused.
 */

import { malformed, oneOf, tableOf, textOf } from "../table-of.ts";
import { isPlainUrl, travelsInTheClear } from "./plain-url.ts";
import type { NoteKey } from "./unknown-key.ts";

export interface ModelProviderTable {
  /** For people; the key of the table is what `model_provider` names. */
  readonly name?: string;
  readonly baseUrl?: string;
  /** The variable that holds the key. */
  readonly envKey?: string;
  readonly wireApi: (typeof WIRES)[number];
  readonly queryParams: Readonly<Record<string, string>>;
  readonly httpHeaders: Readonly<Record<string, string>>;
  /** Headers whose values are in variables: the name of each. */
  readonly envHttpHeaders: Readonly<Record<string, string>>;
}

const WIRES = ["responses", "chat"] as const;
const KEYS = [
  "name",
  "base_url",
  "env_key",
  "wire_api",
  "query_params",
  "http_headers",
  "env_http_headers",
];

/** Reads every provider; `note` is told of keys that nothing here heeds. */
export function readModelProviders(
  value: unknown,
  where: string,
  note: NoteKey,
): ReadonlyMap<string, ModelProviderTable> {
  const tables = tableOf(value === undefined ? {} : value, where);
  return new Map(
    Object.entries(tables).map(([id, table]) => {
      if (id === "") throw malformed(where, "a provider has an empty name, expected one");
      const provider = tableOf(table, `${where}.${id}`);
      for (const key of Object.keys(provider)) {
        if (!KEYS.includes(key)) note(`model_providers.${id}.${key}`);
      }
      return [id, providerOf(provider, `${where}.${id}`)];
    }),
  );
}

function providerOf(table: Readonly<Record<string, unknown>>, where: string): ModelProviderTable {
  const { name, base_url: url, env_key: variable, wire_api: wire = "responses" } = table;
  const secret = variable !== undefined || table.env_http_headers !== undefined;
  return {
    ...(name !== undefined && { name: textOf(name, `${where}.name`) }),
    ...(url !== undefined && { baseUrl: baseUrlOf(url, secret ? "secret" : "open", where) }),
    ...(variable !== undefined && { envKey: variableOf(variable, `${where}.env_key`) }),
    wireApi: oneOf(wire, WIRES, `${where}.wire_api`),
    queryParams: textsOf(table.query_params, `${where}.query_params`, isText),
    httpHeaders: headersOf(table.http_headers, `${where}.http_headers`),
    envHttpHeaders: headersOf(table.env_http_headers, `${where}.env_http_headers`),
  };
}

function baseUrlOf(value: unknown, sent: "secret" | "open", where: string): string {
  const url = typeof value === "string" ? URL.parse(value) : null;
  if (url === null || !isPlainUrl(url)) {
    throw malformed(
      `${where}.base_url`,
      "expected a URL that starts with https:// or http:// and holds no user, password or fragment",
    );
  }
  if (sent === "secret" && travelsInTheClear(url)) {
    const what = `the key would travel to "${url.hostname}" in the clear, expected https://`;
    throw malformed(`${where}.base_url`, what);
  }
  return String(value);
}

function variableOf(value: unknown, where: string): string {
  const name = textOf(value, where);
  if (!name.includes("=")) return name;
  throw malformed(where, `${JSON.stringify(name)} is no name of a variable`);
}

function headersOf(value: unknown, where: string): Readonly<Record<string, string>> {
  const headers = textsOf(value, where, (text) => /^[\t\x20-\x7e\x80-\xff]*$/.test(text));
  const stranger = Object.keys(headers).find((name) => !/^[!#$%&'*+.^_`|~\w-]+$/.test(name));
  if (stranger === undefined) return headers;
  throw malformed(where, `${JSON.stringify(stranger)} is no name of a header`);
}

function textsOf(value: unknown, where: string, fits: (text: string) => boolean) {
  const table = tableOf(value === undefined ? {} : value, where);
  const texts = Object.entries(table).map(([name, text]): [string, string] => {
    if (typeof text === "string" && fits(text)) return [name, text];
    throw malformed(`${where}.${name}`, "expected a text on one line");
  });
  return Object.fromEntries(texts);
}

function isText(text: string): boolean {
  return !/[\0\r\n]/.test(text);
}
