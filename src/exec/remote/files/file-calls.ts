/**
 * Calls for files on another machine.
 *
 * Whatever only looks is asked again after a drop. What changes something is
 * not: whether it was done is not known then, and doing it twice is not the same.
 */
import type { z } from "zod";
import type { Method } from "../../../rpc/index.ts";
import { ExecError } from "../../exec-error.ts";
import type { OpenSession } from "../link/open-session.ts";
import type { Once, SessionLink } from "../link/session-link.ts";
import type { Sign } from "../processes/remote-processes.ts";
import { toFileError } from "./to-file-error.ts";

export class FileCalls {
  readonly link: SessionLink;
  readonly #sign: Sign;

  constructor(link: SessionLink, sign: Sign) {
    this.link = link;
    this.#sign = sign;
  }

  /** For what changes nothing. */
  look<P extends z.ZodType<unknown, object>, R extends z.ZodType>(
    method: Method<P, R>,
    params: z.input<P>,
  ): Promise<z.output<R>> {
    return told(this.link.call(method, () => this.#sign(method.name, params)));
  }

  /** For what changes something: sent once. */
  async change<P extends z.ZodType<unknown, object>, R extends z.ZodType>(
    method: Method<P, R>,
    params: z.input<P>,
  ): Promise<z.output<R>> {
    const once = told(this.link.callOnce(method, () => this.#sign(method.name, params)));
    return answerOf(await once, method.name);
  }

  /** For what belongs to one connection and is over with it. */
  async on<P extends z.ZodType<unknown, object>, R extends z.ZodType>(
    session: OpenSession,
    method: Method<P, R>,
    params: z.input<P>,
  ): Promise<z.output<R>> {
    const signed = () => this.#sign(method.name, params);
    return answerOf(await told(this.link.callOn(session, method, signed)), method.name);
  }
}

function answerOf<T>(once: Once<T>, name: string): T {
  if (once.kind === "answered") return once.value;
  throw new ExecError(
    "disconnected",
    `Cannot tell the outcome of "${name}": the connection ended before an answer came`,
    { cause: once.cause },
  );
}

async function told<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (fault) {
    throw toFileError(fault);
  }
}
