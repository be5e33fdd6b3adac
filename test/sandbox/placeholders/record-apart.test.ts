import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import path from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { parseAbsolutePath as at } from "../../../src/policy/index.ts";
import {
  holdPlaceholders,
  recordApart,
} from "../../../src/sandbox/placeholders/hold-placeholders.ts";
import {
  readPlaceholderRegistry,
  writePlaceholderRegistry,
} from "../../../src/sandbox/placeholders/placeholder-registry.ts";
import { identityOf } from "../../../src/sandbox/placeholders/process-identity.ts";

function laidOut() {
  const base = mkdtempSync("/var/tmp/writ-apart-");
  onTestFinished(() => rmSync(base, { recursive: true }));
  const place = (name: string) => at(path.join(base, name));
  for (const name of ["shared", "own", "ws", "other"]) mkdirSync(place(name), { mode: 0o700 });
  onTestFinished(recordApart([place("ws")], place("own")));
  const recordIn = (folder: string) => [...readPlaceholderRegistry(place(folder)).held.keys()];
  return { place, recordIn };
}

it("keeps what is held in places apart on a record of its own, and the rest where others look", () => {
  const { place, recordIn } = laidOut();
  const wanted = ["ws/.git", "other/.git"].map((name) => ({
    path: place(name),
    kind: "folder" as const,
  }));
  const held = holdPlaceholders(wanted, place("shared"));
  expect(wanted.map((one) => existsSync(one.path))).toEqual([true, true]);
  expect(recordIn("own")).toEqual([place("ws/.git")]);
  expect(recordIn("shared")).toEqual([place("other/.git")]);
  held.release();
  expect(wanted.map((one) => existsSync(one.path))).toEqual([false, false]);
  expect(readdirSync(place("own")).filter((name) => name.startsWith("held-"))).toEqual([]);
});

it("leaves to others what a dead process left in places that are seen otherwise here", () => {
  const { place, recordIn } = laidOut();
  const dead = `${String(identityOf(process.pid)).replace(/^\d+-\d+/, "999999999-1")}-1`;
  const names = ["ws/.git", "other/.git"].map(place);
  // Old enough to be taken for what that process made: whoever sweeps it removes it.
  const left = names.map((one) => ({ path: one, kind: "folder" as const, madeAfter: 0 }));
  const held = new Map(left.map((one) => [one.path as string, { ...one, users: [dead] }]));
  writePlaceholderRegistry(place("shared"), { held, files: [] });
  for (const name of names) mkdirSync(name);
  holdPlaceholders([], place("shared")).release();
  expect(names.map((one) => existsSync(one))).toEqual([true, false]);
  expect(recordIn("shared")).toEqual([names[0]]);
});
