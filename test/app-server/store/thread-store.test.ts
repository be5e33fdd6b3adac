import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { createMemoryStore } from "../../../src/app-server/store/create-memory-store.ts";
import { openThreadStore } from "../../../src/app-server/store/open-thread-store.ts";
import type { ThreadStore } from "../../../src/app-server/store/thread-store.ts";
import { parseAbsolutePath } from "../../../src/policy/index.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { aMessage, anItem, aQuery, aThread, aTurn, someSettings } from "./support/kept-threads.ts";
import { storeIn } from "./support/open-stores.ts";
import { describeThreadStore } from "./thread-store-contract.ts";

describeThreadStore("in a file", () => openThreadStore(parseAbsolutePath(temporaryFolder())));
describeThreadStore("in memory", createMemoryStore);

const THREADS = 1000;

function fill(store: ThreadStore): void {
  for (let at = 0; at < THREADS; at += 1) {
    const thread = `thread-${at}`;
    const settings = someSettings({ cwd: `/srv/${at % 7}` });
    store.create(aThread(thread, { createdAt: at, settings }));
    store.startTurn(thread, aTurn());
    for (let item = 0; item < 10; item += 1) {
      store.putItem(thread, anItem(aMessage(`${thread}-${item}`)));
    }
  }
}

describe("a file with a thousand threads", () => {
  it("is listed page by page and read thread by thread, also by whoever opens it later", () => {
    const folder = temporaryFolder();
    const first = storeIn(folder);
    fill(first);
    first.close();
    const store = storeIn(folder);
    const found: string[] = [];
    let cursor: string | null = null;
    do {
      const page = store.list(aQuery({ limit: 33, cursor }));
      found.push(...page.data.map(({ id }) => id));
      cursor = page.next;
    } while (cursor !== null);
    expect(found).toEqual(Array.from({ length: THREADS }, (_, at) => `thread-${THREADS - 1 - at}`));
    expect(store.list(aQuery({ cwds: ["/srv/3"], limit: 500 })).data).toHaveLength(143);
    for (const at of [0, 499, 999]) {
      const ids = store.history(`thread-${at}`).map(({ item }) => item.id);
      expect(ids).toEqual(Array.from({ length: 10 }, (_, item) => `thread-${at}-${item}`));
    }
  });

  it("is for this user alone, with the files beside it", () => {
    const folder = temporaryFolder();
    storeIn(folder).create(aThread());
    const names = fs.readdirSync(folder);
    expect(names.toSorted()).toEqual(["threads.db", "threads.db-shm", "threads.db-wal"]);
    for (const name of names) {
      expect(fs.statSync(path.join(folder, name)).mode & 0o777).toBe(0o600);
    }
  });
});
