import { execFileSync } from "node:child_process";
import path from "node:path";
import { expect, it } from "vitest";

const ROOT = path.resolve(import.meta.dirname, "../../../..");

it("loads nothing of the SDK before a model is asked", () => {
  const program = `
    import { registerHooks } from "node:module";
    const loaded = [];
    registerHooks({ resolve(name, context, next) { loaded.push(name); return next(name, context); } });
    const { createAiModels } = await import("./src/agent/model/ai/create-ai-models.ts");
    const provider = { name: "p", baseUrl: "http://127.0.0.1:1/v1", wireApi: "responses" };
    const model = createAiModels({ providers: [provider], env: {}, maxRetries: 0 }).find({ provider: "p" });
    const before = loaded.filter((name) => /^@ai-sdk/.test(name));
    const signal = new AbortController().signal;
    const choice = { provider: "p", model: "m", effort: null };
    const history = [{ type: "agentMessage", id: "m", text: "hi" }];
    const answer = model.respond({ instructions: null, history, tools: [], model: choice, signal });
    const error = await answer.next().catch((error) => error.name);
    const after = loaded.filter((name) => /^@ai-sdk/.test(name));
    console.log(JSON.stringify([before.length, error, after.length > 0]));`;
  const options = { cwd: ROOT, encoding: "utf8" } as const;
  const args = ["--input-type=module", "--eval", program];
  expect(JSON.parse(execFileSync(process.execPath, args, options))).toEqual([
    0,
    "ModelError",
    true,
  ]);
});
