/**
 * libR, as far as a console of our own needs it.
 *
 * R runs on the stack that koffi gives it, so its own guess about the bounds of
 * the stack is switched off until they are known. No function here may be called where R could jump
 * out of it, save those that R documents to catch every jump (`evaluate`).
 */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import path from "node:path";
import koffi from "koffi";
import { libc, STACK_BYTES } from "./native.mjs";

/** For what R calls without looking at its bounds, and for what lies above its first frame. */
const MARGIN_BYTES = 2 * 1024 * 1024;
/** No more than this lies between two variables of libR, and less than its code takes. */
const STATIC_BYTES = 2 * 1024 * 1024;
/** SIGILL, SIGBUS and SIGSEGV. */
const CRASHES = [4, 7, 11];
const DIRECTORIES = ["R_HOME", "R_SHARE_DIR", "R_INCLUDE_DIR", "R_DOC_DIR"];
const ARGUMENTS = ["R", "--quiet", "--interactive", "--no-restore", "--no-save"];

// Nothing of these calls is left to the event loop, which R never lets run.
const copyIn = libc.func("memcpy", "void *", ["void *", "const void *", "size_t"]);

function copied(address, size) {
  const bytes = Buffer.allocUnsafe(size);
  copyIn(bytes, address, size);
  return bytes;
}

/** Loads libR and starts it with these callbacks as its console. */
export function startR(console) {
  const home = findHome();
  for (const name of ["libRblas.so", "libRlapack.so"]) {
    const file = path.join(home, "lib", name);
    if (existsSync(file)) koffi.load(file, { global: true });
  }
  const library = koffi.load(path.join(home, "lib/libR.so"), { global: true });
  const set = (name, type, value) => koffi.encode(library.symbol(name), type, value);
  const callback = (name, prototype, act) =>
    set(name, "void *", koffi.register(act, koffi.pointer(koffi.proto(prototype))));

  library.func("int Rf_initialize_R(int count, char **words)")(ARGUMENTS.length, ARGUMENTS);
  set("R_CStackLimit", "uintptr_t", 0xffff_ffff_ffff_ffffn);
  set("R_Interactive", "int", 1);
  set("ptr_R_WriteConsole", "void *", null);
  printAtFork((out, error) => {
    set("R_Outputfile", "void *", out);
    set("R_Consolefile", "void *", error);
  });
  callback(
    "ptr_R_ReadConsole",
    "int ReadLine(str prompt, void *to, int size, int keep)",
    console.read,
  );
  callback(
    "ptr_R_WriteConsoleEx",
    "void Write(void *text, int size, int kind)",
    (text, size, kind) => console.write(copied(text, size), kind === 0 ? "stdout" : "stderr"),
  );
  callback("ptr_R_ShowMessage", "void ShowMessage(str text)", console.message);
  callback("ptr_R_Suicide", "void Suicide(str text)", console.fatal);
  callback("ptr_R_CleanUp", "void CleanUp(int save, int status, int last)", (_, status, last) =>
    console.quit(status, last !== 0),
  );
  return bind(library);
}

/**
 * A process that R forks cannot run JavaScript: what it prints goes to its descriptors.
 * R is set so just before each fork, and back in the parent after it.
 */
function printAtFork(setFiles) {
  const [stdout, stderr] = ["stdout", "stderr"].map((name) =>
    koffi.decode(libc.symbol(name), "void *"),
  );
  const unbuffered = 2;
  libc.func("int setvbuf(void *file, void *buffer, int mode, size_t size)")(
    stdout,
    null,
    unbuffered,
    0,
  );
  const type = koffi.pointer(koffi.proto("void AtFork()"));
  const before = koffi.register(() => setFiles(stdout, stderr), type);
  const after = koffi.register(() => setFiles(null, null), type);
  libc.func("int __register_atfork(void *before, void *after, void *inChild, void *owner)")(
    before,
    after,
    null,
    null,
  );
  setFiles(null, null);
}

/** Where R lives, with the variables its own launcher would set. */
function findHome() {
  const program = process.env.R_HOME ? path.join(process.env.R_HOME, "bin/R") : "R";
  const { stdout, error } = spawnSync(program, ["CMD", "env"], { encoding: "utf8" });
  const values = new Map(
    (stdout ?? "").split("\n").map((line) => [line.split("=", 1)[0], line.replace(/^[^=]*=/, "")]),
  );
  for (const name of DIRECTORIES) {
    const value = values.get(name);
    if (value) process.env[name] = value;
  }
  const home = process.env.R_HOME ?? "";
  if (existsSync(path.join(home, "lib/libR.so"))) return home;
  const found = error?.message ?? `no lib/libR.so in "${home}"`;
  throw new Error(`Cannot start R: ${found}, expected an R with a shared library`);
}

function bind(library) {
  const func = (prototype) => library.func(prototype);
  const string = func("void *Rf_mkString(str text)");
  const parse = func("void *R_ParseVector(void *text, int most, _Out_ int *status, void *source)");
  const tryEval = func("void *R_tryEval(void *expression, void *where, _Out_ int *failed)");
  const preserve = func("void R_PreserveObject(void *object)");
  const element = func("void *VECTOR_ELT(void *list, long index)");
  const item = func("void *STRING_ELT(void *strings, long index)");
  const lengthOf = func("int Rf_length(void *object)");
  const text = func("str R_CHAR(void *string)");
  const install = func("void *Rf_install(str name)");
  const lang1 = func("void *Rf_lang1(void *function)");
  const define = func("void Rf_defineVar(void *name, void *value, void *where)");
  const option = func("void *Rf_GetOption1(void *name)");
  const pointer = func("void *R_MakeExternalPtr(void *address, void *tag, void *kept)");
  // Set by R's own set-up, so read when needed.
  const nothing = () => koffi.decode(library.symbol("R_NilValue"), "void *");
  const world = () => koffi.decode(library.symbol("R_GlobalEnv"), "void *");
  const setUp = func("void setup_Rmainloop()");
  const setHandler = libc.func("void *signal(int number, void *handler)");

  const keep = (object) => {
    preserve(object);
    return object;
  };
  const strings = (object) =>
    Array.from({ length: lengthOf(object) }, (_, at) => text(item(object, at)));
  const read = (source) => keep(parse(keep(string(source)), -1, [0], nothing()));
  /** Evaluates a call at top level: whatever it does, it returns here. */
  const evaluate = (call, where = world()) => {
    const failed = [0];
    const value = tryEval(call, where, failed);
    return failed[0] === 0 ? value : undefined;
  };
  return {
    setup() {
      setUp();
      // R would ask what to do, on a stack where no JavaScript runs, and never end.
      for (const number of CRASHES) setHandler(number, null);
    },
    loop: func("void run_Rmainloop()"),
    finalize: func("void R_RunExitFinalizers()"),
    cleanTemporary: func("void R_CleanTempDir()"),
    /** The last value of `source`, run with `host` as a pointer through which R calls the function. */
    introduce(source, host) {
      const type = koffi.pointer(koffi.proto("void *Host(void *words)"));
      const address = koffi.register((words) => {
        host(...strings(words));
        return nothing();
      }, type);
      const place = keep(evaluate(element(read("base::new.env()"), 0)));
      define(install("host"), keep(pointer(address, install("native symbol"), nothing())), place);
      // One by one: a large function around them is compiled by R first, which takes long.
      const code = read(source);
      const expressions = Array.from({ length: lengthOf(code) }, (_, at) => element(code, at));
      return expressions.reduce((last, one) => last && evaluate(one, place), nothing());
    },
    /** Makes a function that calls a function of R without arguments. */
    caller(object) {
      const call = keep(lang1(object));
      return () => evaluate(call);
    },
    /** Runs what the user left to be run at the end. */
    runLast() {
      evaluate(element(read('if (exists(".Last")) .Last()'), 0));
    },
    store: (to, bytes) => copyIn(to, bytes, bytes.length),
    element: (list, index) => keep(element(list, index)),
    option: (name) => strings(option(install(name)))[0],
    /** Tells R the bounds of the stack it runs on, whose first frame holds `address`. */
    boundStack(address) {
      koffi.encode(library.symbol("R_CStackStart"), "uintptr_t", koffi.address(address));
      koffi.encode(library.symbol("R_CStackLimit"), "uintptr_t", STACK_BYTES - MARGIN_BYTES);
    },
    ...interruptsOf(library.symbol("R_interrupts_pending")),
  };
}

/** What is asked of the variable in which R keeps that it is to interrupt itself. */
function interruptsOf(pending) {
  return {
    pendingAddress: koffi.address(pending),
    isPending: () => koffi.decode(pending, "int") !== 0,
    setPending: (value) => koffi.encode(pending, "int", value),
    /**
     * Whether a buffer is the one of `readline`, not one of the read-eval-print loop: it is a
     * variable of the library, the others are on the stack, which no library is that close to.
     */
    isStatic: (address) =>
      Math.abs(Number(koffi.address(address) - koffi.address(pending))) < STATIC_BYTES,
  };
}
