import { describe, expect, it } from "vitest";
import { parseAbsolutePath as at } from "../../../src/policy/index.ts";
import { planOverlays } from "../../../src/sandbox/overlay/plan-overlays.ts";

const overlay = { path: at("/srv/a, b:c"), upper: at("/own/0/upper"), work: at("/own/0/work") };
const program = { uid: 1000, gid: 100, command: ["/bin/node", "main.js"] as const };

describe("planOverlays", () => {
  it("names folders of the user as words of their own, never among options", () => {
    const argv = planOverlays({ ...program, overlays: [overlay] });
    const script = argv.find((word) => word.includes("mount -t overlay")) ?? "";
    expect(script).toContain("lowerdir=.,upperdir=$2,workdir=$3,userxattr");
    expect(script).not.toContain("srv");
    expect(argv.slice(argv.indexOf("1000"))).toEqual([
      ...["1000", "100", "1", "/srv/a, b:c", "/own/0/upper", "/own/0/work"],
      ...["/bin/node", "main.js"],
    ]);
  });

  it("starts in mounts that nothing goes into or out of, and leaves their owner behind", () => {
    const argv = planOverlays({ ...program, overlays: [overlay] });
    expect(argv.slice(0, 7)).toEqual([
      ...["/usr/bin/unshare", "--user", "--map-root-user", "--mount"],
      ...["--propagation", "private", "--"],
    ]);
    const script = argv.find((word) => word.includes("mount -t overlay")) ?? "";
    expect(script.trim().split("\n").at(-1)).toMatch(
      /^exec \/usr\/bin\/unshare --user --map-user=/,
    );
  });

  it.each([",", ":", "\\", " ", "\n", "é", '"'])(
    "refuses to keep writes in a folder with %j",
    (sign) => {
      const upper = at(`/own/a${sign}b/upper`);
      const plan = () => planOverlays({ ...program, overlays: [{ ...overlay, upper }] });
      expect(plan).toThrow(/Cannot keep writes in/);
    },
  );
});
