/**
 * A machine elsewhere, held to what the operator of this one lets anybody have.
 *
 * Its own operator bounds it as well; what a thread may not have here no yes of a person gives it there.
 */
import {
  type FileOperations,
  type PolicyBounds,
  policyWithin,
  type RemoteExecutor,
  type SandboxIntent,
} from "../../exec/index.ts";

/** The same executor; what is over the bounds of now is refused before anything is sent. */
export function boundedExecutor(executor: RemoteExecutor, bounds: PolicyBounds): RemoteExecutor {
  const { trust, environment, anchors } = executor;
  return {
    ...{ trust, environment, anchors },
    files: boundedFiles(executor.files, bounds),
    start: async (request, givenUp) => {
      policyWithin(request.sandbox, bounds);
      return executor.start(request, givenUp);
    },
    close: () => executor.close(),
  };
}

type UnderIntent = { readonly sandbox: SandboxIntent };

function boundedFiles(files: FileOperations, bounds: PolicyBounds): FileOperations {
  const held =
    <At extends UnderIntent, Rest extends unknown[], T>(
      run: (at: At, ...rest: Rest) => Promise<T>,
    ) =>
    async (at: At, ...rest: Rest): Promise<T> => {
      policyWithin(at.sandbox, bounds);
      return run(at, ...rest);
    };
  return {
    readFile: held((...given) => files.readFile(...given)),
    writeFile: held((...given) => files.writeFile(...given)),
    createDirectory: held((...given) => files.createDirectory(...given)),
    getMetadata: held((...given) => files.getMetadata(...given)),
    canonicalize: held((...given) => files.canonicalize(...given)),
    readDirectory: held((...given) => files.readDirectory(...given)),
    walk: held((...given) => files.walk(...given)),
    remove: held((...given) => files.remove(...given)),
    copy: held(async (from, to, options) => {
      policyWithin(to.sandbox, bounds);
      return files.copy(from, to, options);
    }),
    open: held((...given) => files.open(...given)),
  };
}
