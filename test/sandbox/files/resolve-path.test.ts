import { describe, expect, it } from "vitest";
import { parseAbsolutePath as at } from "../../../src/policy/index.ts";
import type { FileFacts } from "../../../src/sandbox/files/file-facts.ts";
import { resolvePath } from "../../../src/sandbox/files/resolve-path.ts";
import { fileTree } from "../support/file-tree.ts";

/** A disk on which nothing below `folder` can be looked at. */
function closedBelow(folder: string, facts: FileFacts): FileFacts {
  return {
    ...facts,
    kindOf: (path) => (path.startsWith(`${folder}/`) ? "closed" : facts.kindOf(path)),
  };
}

describe("resolvePath", () => {
  it("leaves a path without links as it is", () => {
    expect(resolvePath(at("/a/b"), fileTree("/a/b/"))).toEqual({
      real: "/a/b",
      links: [],
      missing: undefined,
      closed: undefined,
    });
  });

  it("follows links in the middle, relative ones from where they lie, and says where each lies", () => {
    const facts = fileTree("/x/real/f", ["/a/l", "../x/m"], ["/x/m", "/x/real"]);
    expect(resolvePath(at("/a/l/f"), facts)).toMatchObject({
      real: "/x/real/f",
      links: [
        { at: "/a/l", target: "../x/m" },
        { at: "/x/m", target: "/x/real" },
      ],
    });
  });

  it("goes up from where a link leads, not from where it lies", () => {
    const facts = fileTree("/x/y/", "/x/f", ["/a/l", "/x/y/../f"]);
    expect(resolvePath(at("/a/l"), facts).real).toBe("/x/f");
    const through = fileTree("/x/y/", "/x/f", "/b/", ["/b/d", "/x/y"], ["/a/l", "/b/d/../f"]);
    expect(resolvePath(at("/a/l"), through).real).toBe("/x/f");
  });

  it("does not climb above the root", () => {
    expect(resolvePath(at("/l"), fileTree("/x/", ["/l", "../../x"])).real).toBe("/x");
  });

  it("keeps what is missing as written, and names its first part, also behind a link", () => {
    const facts = fileTree("/x/", ["/l", "/x"], ["/gone", "/nowhere/at/all"]);
    expect(resolvePath(at("/l/a/b"), facts)).toMatchObject({ real: "/x/a/b", missing: "/x/a" });
    expect(resolvePath(at("/gone/f"), facts)).toMatchObject({
      real: "/nowhere/at/all/f",
      missing: "/nowhere",
    });
  });

  it("ends at a folder that may not be entered", () => {
    const facts = closedBelow("/s/k", fileTree("/s/k/", ["/l", "/s/k"]));
    expect(resolvePath(at("/s/k/a/b"), facts)).toMatchObject({ real: "/s/k", closed: "/s/k" });
    expect(resolvePath(at("/l/a"), facts)).toMatchObject({ real: "/s/k", closed: "/s/k" });
    expect(resolvePath(at("/s/k"), facts)).toMatchObject({ real: "/s/k", closed: undefined });
  });

  it("follows forty links and refuses a loop, as the kernel does", () => {
    const chain = (length: number) =>
      fileTree(
        "/l0/",
        ...Array.from({ length }, (_, index) => [`/l${index + 1}`, `l${index}`] as const),
      );
    expect(resolvePath(at("/l40"), chain(40)).real).toBe("/l0");
    expect(() => resolvePath(at("/l41"), chain(41))).toThrow(
      expect.objectContaining({ code: "unprotectablePath" }),
    );
    expect(() => resolvePath(at("/a"), fileTree(["/a", "b"], ["/b", "a"]))).toThrow(/40 links/);
  });
});
