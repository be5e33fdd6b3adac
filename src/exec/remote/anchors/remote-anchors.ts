/** Anchors of another machine: they live there, for as long as the session does. */
import type { z } from "zod";
import { parsePathUri } from "../../../policy/index.ts";
import type {
  Anchor,
  AnchorOperations,
  AnchorRequest,
  IntentAnswer,
  IntentQuestion,
} from "../../anchor-operations.ts";
import type { ShelfChange } from "../../anchors/shelf-change.ts";
import { ExecError } from "../../exec-error.ts";
import {
  ANCHORS_CAPABILITY,
  type AnchorDescription,
  anchorMethods,
  OVERLAYS_CAPABILITY,
} from "../../protocol/anchor-methods.ts";
import type { EnvironmentDescription } from "../../protocol/environment-methods.ts";
import { base64 } from "../files/base64.ts";
import type { OpenSession } from "../link/open-session.ts";
import type { SessionLink } from "../link/session-link.ts";
import type { Sign } from "../processes/remote-processes.ts";
import { toExecError } from "../to-exec-error.ts";
import { writeIntent } from "../write-intent.ts";

export class RemoteAnchors implements AnchorOperations {
  readonly hasOverlays: boolean;
  readonly #link: SessionLink;
  readonly #sign: Sign;

  constructor(link: SessionLink, environment: EnvironmentDescription | undefined, sign: Sign) {
    this.#sign = sign;
    this.hasOverlays = environment?.capabilities[OVERLAYS_CAPABILITY] === true;
    this.#link = link;
  }

  /** Sent once. Where its answer is lost, the server is asked what became of it. */
  async open(request: AnchorRequest): Promise<Anchor> {
    const { anchorId, ids, layer, base: most, overlays = [] } = request;
    if (layer !== undefined) throw noLayer(anchorId);
    if (overlays.length > 0 && !this.hasOverlays) throw noOverlays(anchorId);
    const bound = most && { base: writeIntent(most, this.#link.session.trust) };
    const apart = overlays.length > 0 && { overlays: [...overlays] };
    const params = { anchorId, ids: { ...ids }, ...bound, ...apart };
    const signed = () => this.#sign(anchorMethods.open.name, params);
    const once = await told(this.#link.callOnce(anchorMethods.open, signed));
    if (once.kind === "answered") return anchorOf(once.value);
    try {
      return await this.find(anchorId);
    } catch (cause) {
      if (!(cause instanceof ExecError) || cause.code !== "unknownAnchor") throw cause;
      throw new ExecError(
        "disconnected",
        `Cannot open anchor "${anchorId}": the connection ended before an answer came`,
        { cause },
      );
    }
  }

  async find(anchorId: string): Promise<Anchor> {
    return anchorOf(await told(this.#link.call(anchorMethods.find, () => ({ anchorId }))));
  }

  async list(): Promise<readonly Anchor[]> {
    const { anchors } = await told(this.#link.call(anchorMethods.list, () => ({})));
    return anchors.map(anchorOf);
  }

  async compare(anchorId: string, question: IntentQuestion): Promise<IntentAnswer> {
    const { trust } = this.#link.session;
    const [sandbox, base] = [question.intent, question.base].map((one) => writeIntent(one, trust));
    const params = { anchorId, cwd: question.cwd, sandbox, base };
    const signed = () => this.#sign(anchorMethods.compare.name, params);
    return told(this.#link.call(anchorMethods.compare, signed));
  }

  /** May be sent again where the answer is lost: what is there already is put there once more. */
  async stock(anchorId: string, { write, remove, isEmptied }: ShelfChange): Promise<void> {
    const params = {
      ...{ anchorId, isEmptied, remove: [...remove] },
      write: write.map(({ path, content, isExecutable }) => ({
        ...{ path, dataBase64: base64(content), isExecutable },
      })),
    };
    const signed = () => this.#sign(anchorMethods.stock.name, params);
    await told(this.#link.call(anchorMethods.stock, signed));
  }

  async close(anchorId: string): Promise<boolean> {
    return (await told(this.#link.call(anchorMethods.close, () => ({ anchorId })))).closed;
  }
}

/** The anchors of a server; nothing where it has not said that it has some. */
export function anchorsOf(
  link: SessionLink,
  environment: EnvironmentDescription | undefined,
  sign: Sign,
): RemoteAnchors | undefined {
  return hasAnchors({ trust: link.session.trust, environment })
    ? new RemoteAnchors(link, environment, sign)
    : undefined;
}

/** Whether a server is one of ours and has said that it has anchors: no other is told of one. */
export function hasAnchors({
  trust,
  environment,
}: Pick<OpenSession, "trust" | "environment">): boolean {
  return trust.kind === "writ" && environment?.capabilities[ANCHORS_CAPABILITY] === true;
}

function noLayer(anchorId: string): ExecError {
  const what = "a layer is a folder of this machine, expected an anchor without one";
  return new ExecError("unenforceable", `Cannot open anchor "${anchorId}" elsewhere: ${what}`);
}

/** It would pass over the word, and commands would write to its folders. */
function noOverlays(anchorId: string): ExecError {
  const what = "its machine has no overlays, expected an anchor without one";
  return new ExecError("unenforceable", `Cannot open anchor "${anchorId}": ${what}`);
}

function anchorOf(told: z.output<typeof AnchorDescription>): Anchor {
  return {
    ...told,
    home: parsePathUri(told.home),
    tmp: parsePathUri(told.tmp),
    shelf: parsePathUri(told.shelf),
  };
}

async function told<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (fault) {
    throw toExecError(fault);
  }
}
