/** Threads and turns over JSON-RPC: policies that are set once and hold, what is kept, who is asked. */
export { APP_MESSAGE_BYTES, appDialect } from "./app-dialect.ts";
export { type AppServer, type AppServerOptions, createAppServer } from "./app-server.ts";
export {
  createEnvironments,
  type Environments,
  type EnvironmentsOptions,
} from "./environments/create-environments.ts";
export type { AppConfig, LoadConfig } from "./policy/app-config.ts";
export { appProtocol } from "./protocol/app-protocol.ts";
export { createMemoryStore } from "./store/create-memory-store.ts";
export { openThreadStore } from "./store/open-thread-store.ts";
export type { ThreadStore } from "./store/thread-store.ts";
export { ThreadStoreError } from "./store/thread-store-error.ts";
export { THREADS_FILE } from "./store/threads-file.ts";
