/** Threads and turns over JSON-RPC: policies that are set once and hold, what is kept, who is asked. */
export { APP_MESSAGE_BYTES, appDialect } from "./app-dialect.ts";
export { type AppServer, type AppServerOptions, createAppServer } from "./app-server.ts";
export type { InheritedEnvironment } from "./commands/start-of-command.ts";
export {
  createEnvironments,
  type Environments,
  type EnvironmentsOptions,
  type MachineDescription,
} from "./environments/create-environments.ts";
export type { EnvironmentAddress, EnvironmentAsk } from "./environments/read-environment.ts";
export type { EnvironmentStatus } from "./environments/remote-environment.ts";
export type { AppConfig, ConfigOverrides, LoadConfig } from "./policy/app-config.ts";
export type { SeenFolder } from "./policy/see-folders.ts";
export type { PolicyOrigin, ThreadPolicy } from "./policy/thread-policy.ts";
export { appProtocol } from "./protocol/app-protocol.ts";
export { createMemoryStore } from "./store/create-memory-store.ts";
export { openThreadStore } from "./store/open-thread-store.ts";
export type {
  ItemRecord,
  ThreadRecord,
  ThreadSettings,
  TurnRecord,
  TurnState,
} from "./store/thread-record.ts";
export type {
  Page,
  PageQuery,
  ThreadPage,
  ThreadQuery,
  ThreadStore,
} from "./store/thread-store.ts";
export { ThreadStoreError, type ThreadStoreErrorCode } from "./store/thread-store-error.ts";
export { THREADS_FILE } from "./store/threads-file.ts";
