import path from "node:path";
import { type ConfigPlaces, loadConfig } from "../../../src/config/index.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

/** Where a test has its files: the user's in `home/`, the project's in `project/`. */
export function placesIn(root: string): ConfigPlaces {
  return {
    writHome: path.join(root, "home"),
    folder: path.join(root, "project"),
    requirements: path.join(root, "etc/requirements.toml"),
    hostname: "build-1.example.com",
  };
}

/** Loads from files that are there for one test. */
export function loadFrom(
  files: Readonly<Record<string, string>>,
  overrides?: Readonly<Record<string, unknown>>,
) {
  return loadConfig({ ...placesIn(temporaryFolder(files)), overrides });
}
