import { type Anchor, type AnchorOperations, ExecError } from "../../../../src/exec/index.ts";
import { uriOfNative } from "../../../../src/policy/index.ts";

/** Anchors that are no more than their names. */
export function fakeAnchors(): { operations: AnchorOperations; names: () => string[] } {
  const open = new Map<string, Anchor>();
  const [home, tmp, shelf] = [uriOfNative("/h"), uriOfNative("/t"), uriOfNative("/s")];
  return {
    names: () => [...open.keys()],
    operations: {
      async open(request) {
        const anchor = { ...request, home, tmp, shelf, createdAt: 0 };
        open.set(request.anchorId, anchor);
        return anchor;
      },
      async find(anchorId) {
        const found = open.get(anchorId);
        if (found !== undefined) return found;
        throw new ExecError("unknownAnchor", `there is no ${anchorId}`);
      },
      list: async () => [...open.values()],
      compare: async () => ({ boundDigest: "d", isWithin: true }),
      stock: async () => {},
      close: async (anchorId) => open.delete(anchorId),
    },
  };
}
