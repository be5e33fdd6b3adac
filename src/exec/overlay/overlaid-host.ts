/** What an executor among overlays is told by the one that starts it, on a pipe that nobody else has. */
import fs from "node:fs";
import type { AbsolutePath } from "../../policy/index.ts";
import { findOverlays, type Overlay, recordApart, trustOnly } from "../../sandbox/index.ts";
import type { AnchorLayer } from "../anchors/anchor-layer.ts";
import type { ExecHost } from "../exec-host.ts";

export interface OverlaidHost {
  readonly host: Omit<ExecHost, "env" | "overlays">;
  /** Where receipts are kept. */
  readonly home: AbsolutePath;
  readonly overlays: readonly Overlay[];
  /** Where placeholders in them are on record. */
  readonly records: AbsolutePath;
  /** Programs that were looked at where users have their own numbers. */
  readonly trusted: readonly string[];
  /** What its anchor has beside its own folders. */
  readonly layer?: AnchorLayer | undefined;
  /** Of its anchor, for receipts. */
  readonly ids: Readonly<Record<string, string>>;
}

export function writeOverlaidHost(told: OverlaidHost): string {
  return JSON.stringify(told);
}

/** Reads what this process was told, and makes sure that it is where it was to be. */
export function readOverlaidHost(
  text: string,
  env: ExecHost["env"],
): Omit<OverlaidHost, "host"> & { readonly host: ExecHost } {
  const told = JSON.parse(text) as OverlaidHost;
  trustOnly(told.trusted);
  const places = told.overlays.map(({ path }) => path);
  recordApart(places, told.records);
  const overlays = findOverlays(told.overlays, fs.readFileSync("/proc/self/mountinfo", "utf8"));
  return { ...told, host: { ...told.host, env, overlays } };
}
