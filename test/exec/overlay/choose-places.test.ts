import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { ExecHost } from "../../../src/exec/index.ts";
import {
  choosePlaces,
  refuseMounts,
  refuseSystem,
} from "../../../src/exec/overlay/choose-places.ts";
import { parseAbsolutePath as at, uriOfNative } from "../../../src/policy/index.ts";

function laidOut() {
  const base = mkdtempSync("/var/tmp/writ-overlay-");
  onTestFinished(() => rmSync(base, { recursive: true }));
  for (const name of ["ws/inner", "own/deep", "records"]) {
    mkdirSync(path.join(base, name), { recursive: true });
  }
  writeFileSync(path.join(base, "file"), "");
  symlinkSync("ws", path.join(base, "link"));
  const host = {
    platform: "linux",
    own: { hidden: [at(path.join(base, "own"))], readOnly: [] },
    records: at(path.join(base, "records")),
    bounds: { roots: "any" },
  } as unknown as ExecHost;
  const choose = (place: string) => choosePlaces([uriOfNative(path.join(base, place))], host);
  return { base, host, choose };
}

describe("choosePlaces", () => {
  it("takes a folder", () => {
    const { base, choose } = laidOut();
    expect(choose("ws")).toEqual([path.join(base, "ws")]);
  });

  it.each(["link", "link/inner"])(
    "refuses %s, by whose name the host would be written to once the link is turned",
    (place) => {
      const { base, choose } = laidOut();
      const real = path.join(base, place.replace("link", "ws"));
      expect(() => choose(place)).toThrow(`a link leads to it, expected "${real}"`);
    },
  );

  it.each([
    ["what writ keeps", "own"],
    ["a folder in it", "own/deep"],
    ["a folder around it", "."],
    ["the records", "records"],
    ["a file", "file"],
    ["nothing at all", "none"],
  ])("refuses %s", (_, place) => {
    const { choose } = laidOut();
    expect(() => choose(place)).toThrow(/Cannot keep writes apart/);
  });
});

describe("what an overlay may not cover", () => {
  it.each(["/etc", "/etc/ssl", "/usr", "/usr/lib", "/lib", "/bin"])(
    "refuses %s, which programs load from outside every sandbox",
    (place) => {
      const { host } = laidOut();
      const choose = () => choosePlaces([uriOfNative(realpathSync(place))], host);
      expect(choose).toThrow(/programs of this host load from/);
      expect(() => refuseSystem(at(place))).toThrow(/programs of this host load from/);
    },
  );

  it("refuses a folder of another user, in which it would give rights", () => {
    const { base, choose } = laidOut();
    const uid = vi.spyOn(process, "getuid").mockReturnValue(4242);
    onTestFinished(() => uid.mockRestore());
    expect(() => choose("ws")).toThrow(`"${base}/ws": it belongs to another user`);
  });

  it("refuses a folder outside the roots of the executor", () => {
    const { base, host } = laidOut();
    const bound = { ...host, bounds: { ...host.bounds, roots: [at(path.join(base, "ws/inner"))] } };
    const choose = (name: string) => choosePlaces([uriOfNative(path.join(base, name))], bound);
    expect(choose("ws/inner")).toHaveLength(1);
    expect(() => choose("ws")).toThrow(/this executor allows those in/);
  });
});

describe("refuseMounts", () => {
  it("lets folders be that have nothing mounted in them", () => {
    refuseMounts([at("/srv/ws"), at("/srv/ws2")], ["/", "/srv", "/srv/ws", "/srv/ws3/x"]);
  });

  it("refuses a mount in one, which an overlay would not show", () => {
    const refused = () => refuseMounts([at("/srv/ws")], ["/", "/srv/ws/data"]);
    expect(refused).toThrow(/something is mounted on "\/srv\/ws\/data"/);
  });

  it.each([[["/srv/ws", "/srv/ws/a"]], [["/srv/ws/a", "/srv/ws"]], [["/srv/ws", "/srv/ws"]]])(
    "refuses one in another: %j",
    (places) => {
      expect(() => refuseMounts(places.map(at), ["/"])).toThrow(/another overlay/);
    },
  );
});
