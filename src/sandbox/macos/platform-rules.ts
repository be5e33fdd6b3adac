/** What programs need of macOS beyond files: preferences, and the way to the system's folders. */
import { named, rule, type Sbpl } from "./sbpl.ts";

/**
 * What `:minimal` opens on macOS: the folders a program needs to start at all.
 *
 * Binding puts them into the profile like any other path, so that what is said
 * about a path and what is enforced cannot differ.
 */
export const MACOS_PLATFORM_DEFAULTS: readonly string[] = [
  "/bin",
  "/sbin",
  "/usr",
  "/System",
  "/Applications",
  "/Library/Apple",
  "/Library/Developer",
  "/Library/Frameworks",
  "/opt/homebrew",
  "/private/etc",
  "/private/var/db/dyld",
  "/private/var/db/timezone",
  "/private/var/select",
];

/** A folder without which no program starts; whoever may read it was given `:minimal` or more. */
export const SYSTEM_LIBRARIES = "/usr/lib";

/** The server reads preferences for whoever asks, so only those ask who may read everything. */
export const PREFERENCE_RULES: readonly Sbpl[] = [
  rule("allow", ["ipc-posix-shm-read*"], [named("ipc-posix-name-prefix", "apple.cfprefs.")]),
  rule(
    "allow",
    ["mach-lookup"],
    [
      named("global-name", "com.apple.cfprefsd.agent"),
      named("global-name", "com.apple.cfprefsd.daemon"),
      named("local-name", "com.apple.cfprefsd.agent"),
    ],
  ),
  rule("allow", ["user-preference-read"]),
];

/** Links and folders above the platform's own: they can be passed, not listed. */
export const PLATFORM_RULES: readonly Sbpl[] = [
  rule(
    "allow",
    ["file-read-metadata"],
    [
      named("literal", "/"),
      named("literal", "/etc"),
      named("literal", "/private"),
      named("literal", "/private/var"),
      named("literal", "/tmp"),
      named("literal", "/var"),
    ],
  ),
  rule(
    "allow",
    ["ipc-posix-shm-read-data"],
    [named("ipc-posix-name", "apple.shm.notification_center")],
  ),
];
