/** Makes the picture in the README again. Run by `npm run picture`, which needs tmux. */
import { writeFileSync } from "node:fs";
import path from "node:path";
import { recordChat } from "./picture/record-chat.ts";

const file = path.resolve(import.meta.dirname, "../docs/pictures/chat.svg");
writeFileSync(file, await recordChat());
