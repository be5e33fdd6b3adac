import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { recordChat } from "../../../tools/picture/record-chat.ts";

const PICTURE = path.resolve(import.meta.dirname, "../../../docs/pictures/chat.svg");

/** Times and receipts are others each time, and so are the places of what stands behind them. */
function neutral(svg: string): string[] {
  return svg
    .replaceAll(/ (?:textLength|x)="[^"]*"/g, "")
    .replaceAll(/\d+\.\d\d([\s\u00a0])s,/g, "TIME$1s,")
    .replaceAll(/(receipt[\s\u00a0])[0-9A-Z]{8}/g, "$1ID")
    .split("\n");
}

it("the picture in the README is what the program shows now (run: npm run picture)", async () => {
  expect(neutral(await recordChat())).toEqual(neutral(readFileSync(PICTURE, "utf8")));
});
