import { describe, expect, it } from "vitest";
import { loadSdk } from "../../../../src/session/provider/vercel/load-sdk.ts";

describe("loadSdk", () => {
  it("loads version 3 of the package", async () => {
    const { sdk, version } = await loadSdk();
    expect(version).toMatch(/^3\./);
    expect(sdk.Sandbox.create).toBeTypeOf("function");
  });

  it("says what to install where there is none", async () => {
    const name = "writ-no-such-package";
    const loading = loadSdk(() => import(/* @vite-ignore */ name));
    await expect(loading).rejects.toMatchObject({
      name: "SessionError",
      code: "unsupported",
      message: expect.stringContaining("npm install @vercel/sandbox@3"),
    });
  });

  it.each(["2.4.0", "4.0.0", "30.0.0", ""])("refuses version %j", async (version) => {
    const { sdk } = await loadSdk();
    const loading = loadSdk(async () => ({ sdk, version }));
    await expect(loading).rejects.toMatchObject({ code: "unsupported" });
  });
});
