import { expect, it } from "vitest";
import { loadFrom as load } from "../support/load-from.ts";

it("takes sandboxes of their machine for threads, and says nothing of them", async () => {
  const { unknownKeys } = await load({ "home/config.toml": 'session_provider = "local"' });
  expect(unknownKeys).toEqual([]);
});

it.each([
  ["VMs of Vercel", '"vercel"', /threads cannot have VMs of Vercel.*add it as an environment/],
  ["a provider that nobody knows", '"other"', /expected one of "local", "vercel"/],
  ["something that is no name", "{}", /expected one of/],
])("refuses %s rather than make other sandboxes than were asked for", async (_, value, message) => {
  const text = `session_provider = ${value}`;
  await expect(load({ "home/config.toml": text })).rejects.toThrow(message);
});

it.each(["local", "vercel"])("refuses a project that chooses %s", async (name) => {
  const text = `session_provider = "${name}"`;
  await expect(load({ "project/writ.toml": text })).rejects.toMatchObject({
    code: "widens",
    message: expect.stringContaining("a project must not choose where its commands run"),
  });
});
