/** Which distribution this is, from os-release(5), and what installs a package there. */

export interface Distribution {
  readonly name: string;
  /** Installs a package whose name follows; nothing where we do not know. */
  readonly install: string | undefined;
}

const INSTALLERS: readonly (readonly [RegExp, string])[] = [
  [/^(debian|ubuntu)$/, "apt-get install"],
  [/^(fedora|rhel|centos)$/, "dnf install"],
  [/^arch$/, "pacman -S"],
  [/^alpine$/, "apk add"],
  [/^(suse|opensuse.*)$/, "zypper install"],
];

/** Reads the text of `/etc/os-release`; a distribution may say which others it is like. */
export function parseOsRelease(text: string | undefined): Distribution {
  const fields = new Map(
    [...(text ?? "").matchAll(/^([A-Z_]+)=(.*)$/gm)].map(([, name = "", value = ""]) => [
      name,
      unquote(value),
    ]),
  );
  const ids = [fields.get("ID") ?? "", ...(fields.get("ID_LIKE") ?? "").split(" ")];
  const found = ids.flatMap((id) => INSTALLERS.filter(([known]) => known.test(id)));
  return {
    name: fields.get("PRETTY_NAME") || fields.get("NAME") || "unknown distribution",
    install: found[0]?.[1],
  };
}

function unquote(value: string): string {
  const quoted = /^(["'])(.*)\1$/.exec(value.trim());
  return (quoted?.[2] ?? value.trim()).replace(/\\(["$`\\])/g, "$1");
}
