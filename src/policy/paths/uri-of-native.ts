import { PolicyError } from "../policy-error.ts";
import { conventionOf, normalizeNativePath } from "./native-path.ts";
import { opaqueUri } from "./opaque-path.ts";
import { encodeSegment, type PathUri, parsePathUri, uriOfSegments } from "./path-uri.ts";

/** Writes an absolute path of either convention as a URI that names exactly that path. */
export function uriOfNative(text: string): PathUri {
  const path = normalizeNativePath(text);
  return conventionOf(path) === "posix" ? uriOfPosix(path) : uriOfWindows(path);
}

function uriOfPosix(path: string): PathUri {
  const segments = path.split("/").filter(Boolean);
  // "/C:/x" is a fine POSIX path, but as plain segments it would read as a drive.
  if (/^[A-Za-z]:$/.test(segments[0] ?? "")) return opaqueUri({ convention: "posix", path });
  return uriOfSegments("", segments.map(encodeSegment));
}

function uriOfWindows(path: string): PathUri {
  if (/^[A-Za-z]:/.test(path)) {
    const [drive = "", ...rest] = path.split("\\").filter(Boolean);
    return uriOfSegments("", [drive, ...rest.map(encodeSegment)]);
  }
  const [server = "", share = "", ...rest] = path.slice(2).split("\\");
  const hidden = server === "" || share === "" || /^(localhost|[?.])$/i.test(server);
  if (hidden) return opaqueUri({ convention: "windows", path });
  try {
    return parsePathUri(`file://${server}/${[share, ...rest].map(encodeSegment).join("/")}`);
  } catch (error) {
    // A server name that no URL can hold is still a name.
    if (error instanceof PolicyError) return opaqueUri({ convention: "windows", path });
    throw error;
  }
}
