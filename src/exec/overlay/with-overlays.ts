/** An executor whose anchors may have overlays. What is not done in one of those is done as before. */
import type { LocalAnchors } from "../anchors/local-anchors.ts";
import { unknownAnchor } from "../anchors/unknown-anchor.ts";
import type { Executor, RunningProcess } from "../executor.ts";
import type { AtPath, FileOperations } from "../files/file-operations.ts";
import type { StartRequest } from "../start-request.ts";
import { INNER, OverlaidAnchors, type OverlayGround } from "./overlaid-anchors.ts";

export function withOverlays(
  plain: Executor,
  anchors: LocalAnchors,
  ground: OverlayGround,
): Executor {
  const overlaid = new OverlaidAnchors(anchors, ground);
  return {
    files: filesOf(plain.files, overlaid),
    anchors: overlaid,
    start: async (request, givenUp) =>
      (await startIn(overlaid, request, givenUp)) ?? plain.start(request, givenUp),
    async close() {
      await overlaid.closeAll();
      await plain.close();
    },
  };
}

async function startIn(
  anchors: OverlaidAnchors,
  request: StartRequest,
  givenUp?: AbortSignal,
): Promise<RunningProcess | undefined> {
  const { anchor } = request;
  if (!anchors.has(anchor)) return undefined;
  return anchors.within(anchor, (executor) =>
    executor.start({ ...request, anchor: INNER }, givenUp),
  );
}

type Inside = (at: AtPath) => AtPath;
type FileCall<T> = (files: FileOperations, inside: Inside) => Promise<T>;

function filesOf(plain: FileOperations, anchors: OverlaidAnchors): FileOperations {
  const call = async <T>({ anchor }: AtPath, work: FileCall<T>): Promise<T> => {
    if (!anchors.has(anchor)) return work(plain, (at) => at);
    const inside: Inside = (at) => ({ ...at, anchor: INNER });
    const done = await anchors.within(anchor, async ({ files }) => ({
      value: await work(files, inside),
    }));
    if (done === undefined) throw unknownAnchor(anchor);
    return done.value;
  };
  return {
    readFile: (at, options) => call(at, (files, inside) => files.readFile(inside(at), options)),
    writeFile: (at, bytes) => call(at, (files, inside) => files.writeFile(inside(at), bytes)),
    createDirectory: (at, options) =>
      call(at, (files, inside) => files.createDirectory(inside(at), options)),
    getMetadata: (at) => call(at, (files, inside) => files.getMetadata(inside(at))),
    canonicalize: (at) => call(at, (files, inside) => files.canonicalize(inside(at))),
    readDirectory: (at, options) =>
      call(at, (files, inside) => files.readDirectory(inside(at), options)),
    walk: (at, options) => call(at, (files, inside) => files.walk(inside(at), options)),
    remove: (at, options) => call(at, (files, inside) => files.remove(inside(at), options)),
    open: (at, mode, options) => call(at, (files, inside) => files.open(inside(at), mode, options)),
    async copy(from, to, options) {
      // Between two of them nobody sees both sides.
      const isApart = from.anchor !== to.anchor;
      if (isApart && anchors.has(from.anchor)) throw unknownAnchor(from.anchor);
      if (isApart && anchors.has(to.anchor)) throw unknownAnchor(to.anchor);
      return call(from, (files, inside) => files.copy(inside(from), inside(to), options));
    },
  };
}
