/** What is said of a file or a folder that an option names and that is not there. */
import { expect, it } from "vitest";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { writ } from "./support/cli-world.ts";

it.each([
  ["run --profile p.toml -- ls", 'p.toml": there is no such file, expected a profile'],
  ["explain --profile p.json x", 'p.json": there is no such file, expected a profile'],
  ["chat --policy p.json", 'p.json": there is no such file, expected a policy as JSON'],
  ["confine --ceiling c.toml --sandbox read-only -- x", "expected a requirements file"],
  ["exec-server --ceiling c.toml", 'c.toml": there is no such file, expected a requirements file'],
  ["app-server --ceiling c.toml", 'c.toml": there is no such file, expected a requirements file'],
  ["install codex --language node", "there is no such folder, expected Codex's settings. Start"],
])("of %s says what was expected there", async (line, sentence) => {
  const { status, err } = await writ(line.split(" "), temporaryFolder(), temporaryFolder());
  expect(status).toBeGreaterThan(0);
  expect(err).toContain(sentence);
});
