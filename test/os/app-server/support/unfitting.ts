import { isDeepStrictEqual } from "node:util";
import type { z } from "zod";
import { appProtocol } from "../../../../src/app-server/protocol/app-protocol.ts";
import { declarationsOf } from "../../../../src/rpc/index.ts";
import type { AppClient, Message } from "./app-client.ts";

const methods = new Map(declarationsOf(appProtocol.toServer).map((one) => [one.name, one]));
const news = new Map(declarationsOf(appProtocol.toClient).map((one) => [one.name, one]));

/** What a client got that its declaration does not describe, member by member; refusals have no shape. */
export function unfitting({ answered, notes, asked }: AppClient): string[] {
  const answers = answered.flatMap(({ method, message }) => {
    const declared = methods.get(method);
    if (message.error !== undefined || declared?.kind !== "request") return [];
    return faults(method, declared.result, message.result);
  });
  return [...answers, ...[...notes, ...asked].flatMap(faultsOfNews)];
}

function faultsOfNews({ method = "", params }: Message): string[] {
  const declared = news.get(method);
  return declared === undefined
    ? [`${method} is not declared`]
    : faults(method, declared.params, params);
}

function faults(name: string, shape: z.core.$ZodType, value: unknown): string[] {
  const read = (shape as z.ZodType).safeParse(value);
  if (!read.success) return [`${name}: ${read.error.message}`];
  return isDeepStrictEqual(read.data, value) ? [] : [`${name} says more than is declared`];
}
