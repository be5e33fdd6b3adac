/** Cases 1-20: how a connection begins, what it may say, and how it ends. */
import { describe, expect, it } from "vitest";
import { startLab, WAYS } from "./support/exec-lab.ts";
import { run, startOf } from "./support/wire-process.ts";

describe.each(WAYS)("over %s", (over) => {
  it("1 gives a session a UUID", async () => {
    const lab = await startLab({ over });
    const client = await lab.connect();
    const { sessionId } = await client.call("initialize", { clientName: "test" });
    expect(sessionId).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-/);
  });

  it("30", async () => {
    const lab = await startLab({ over });
    const client = await lab.open();
    console.log(
      JSON.stringify(await run(client, startOf(lab.place.workspace, "echo hi; exit 7")), null, 1),
    );
  });
});
