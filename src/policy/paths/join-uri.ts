import { PolicyError } from "../policy-error.ts";
import { decodedSegment, foldSegments } from "./fold-segments.ts";
import { conventionOfUri, partsOf } from "./native-of-uri.ts";
import { conventionOf } from "./native-path.ts";
import { isOpaque } from "./opaque-path.ts";
import { encodeSegment, type PathUri, uriOfSegments } from "./path-uri.ts";
import { uriOfNative } from "./uri-of-native.ts";

/** Resolves native text against a URI: absolute text replaces it, `..` stops at the anchor. */
export function joinUri(base: PathUri, text: string): PathUri {
  if (text.includes("\0") || !text.isWellFormed() || isOpaque(base)) {
    throw new PolicyError("invalidPath", `Cannot join ${JSON.stringify(text)} to "${base}"`);
  }
  const convention = conventionOfUri(base);
  if (conventionOf(text) === convention) return uriOfNative(text);
  const { host, segments } = partsOf(base);
  if (convention === "posix") {
    const names = foldSegments([...segments, ...text.split("/").map(encodeSegment)]);
    // A first name like "C:" would read as a drive; only the opaque form says it.
    const drive = /^[A-Za-z]:$/.test(names[0] ?? "");
    return drive
      ? uriOfNative(`/${names.map(decodedSegment).join("/")}`)
      : uriOfSegments("", names);
  }
  const [anchor = "", ...rest] = segments;
  const { from, tail } = windowsStep(text, anchor, rest);
  return uriOfSegments(host, [anchor, ...foldSegments([...from, ...tail.map(encodeSegment)])]);
}

function windowsStep(text: string, anchor: string, rest: readonly string[]) {
  const drive = /^([A-Za-z]:)(.*)$/s.exec(text);
  if (drive !== null && drive[1]?.toUpperCase() !== anchor) {
    throw new PolicyError("invalidPath", `Cannot join "${text}": it is on another drive`);
  }
  const plain = drive?.[2] ?? text;
  return { from: /^[\\/]/.test(plain) ? [] : rest, tail: plain.split(/[\\/]/) };
}
