/**
 * What may be allowed besides a policy: places and the network.
 *
 * A grant names places as they are. It has no words for denies, patterns or
 * symbols, so nothing of a policy can be taken away by one.
 */

import type { PathUri } from "../paths/path-uri.ts";
import { uriContains } from "../paths/uri-contains.ts";

export interface Grant {
  readonly network: boolean;
  readonly files: readonly GrantedPath[];
}

export interface GrantedPath {
  readonly path: PathUri;
  readonly access: "read" | "write";
}

/** What both say: the deeper of two places that lie in one another, with the lesser access. */
export function commonGrant(one: Grant, other: Grant): Grant {
  const files = one.files.flatMap((a) => other.files.flatMap((b) => overlap(a, b)));
  // A place that is said many times would be weighed as often.
  const distinct = new Map(files.map((file) => [`${file.access} ${file.path}`, file]));
  return { network: one.network && other.network, files: [...distinct.values()] };
}

/** True for a grant of nothing at all. */
export function isEmptyGrant({ network, files }: Grant): boolean {
  return !network && files.length === 0;
}

function overlap(a: GrantedPath, b: GrantedPath): GrantedPath[] {
  const access = a.access === "read" ? a.access : b.access;
  if (uriContains(a.path, b.path)) return [{ path: b.path, access }];
  return uriContains(b.path, a.path) ? [{ path: a.path, access }] : [];
}
