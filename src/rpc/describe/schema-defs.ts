/**
 * Joins the `$defs` of many schemas into those of one document.
 *
 * A type with a default reads differently as params and as a result. Where the
 * two forms differ, or refer to one that does, the result form is called
 * `<Name>Output`; everywhere else there is one definition.
 */
import type { JsonSchema } from "./json-schema.ts";

export type Io = "input" | "output";

const DEFS = "#/$defs/";
/** Stands behind the name of a result form until all forms are known. */
const MARK = "@output";

export class SchemaDefs {
  readonly #forms: Record<Io, Map<string, JsonSchema>> = { input: new Map(), output: new Map() };
  /** Each form as it was given. */
  readonly #texts = new Map<string, string>();

  /** Takes the `$defs` of `schema`, which will stand at `at`, and returns the rest of it. */
  take(schema: JsonSchema, { io, at }: { readonly io: Io; readonly at: string }): JsonSchema {
    const { $defs = {}, ...own } = schema;
    const rename = (ref: string) => (ref === "#" ? at : io === "output" ? ref + MARK : ref);
    for (const [name, def] of Object.entries($defs as Readonly<Record<string, JsonSchema>>)) {
      this.#refuseOther(name, { io, text: JSON.stringify(def) });
      this.#forms[io].set(name, mapRefs(def, rename));
    }
    return mapRefs(own, rename);
  }

  /** Adds the definitions to `document` and gives every form its final name. */
  finish(document: JsonSchema): JsonSchema {
    const apart = this.#namesApart();
    const rename = (ref: string) => {
      if (!ref.endsWith(MARK)) return ref;
      const name = ref.slice(DEFS.length, -MARK.length);
      return DEFS + (apart.has(name) ? `${name}Output` : name);
    };
    const { input, output } = this.#forms;
    const named = [...output].map(([name, def]) => [apart.has(name) ? `${name}Output` : name, def]);
    const defs = Object.entries({ ...Object.fromEntries(named), ...Object.fromEntries(input) });
    const $defs = Object.fromEntries(defs.sort(([a], [b]) => (a < b ? -1 : 1)));
    return mapRefs({ ...document, $defs }, rename);
  }

  /** Of two types with one id, the document would describe only the second. */
  #refuseOther(name: string, { io, text }: { readonly io: Io; readonly text: string }): void {
    const key = `${io} ${name}`;
    if ((this.#texts.get(key) ?? text) !== text) {
      throw new Error(`Cannot describe "${name}": two types have this id, expected one`);
    }
    this.#texts.set(key, text);
  }

  /** Names whose two forms differ, and then the names that lead to one of them. */
  #namesApart(): ReadonlySet<string> {
    const { input, output } = this.#forms;
    const both = [...output].filter(([name]) => input.has(name));
    const plain = (def: JsonSchema | undefined) => JSON.stringify(def).replaceAll(MARK, "");
    const apart = new Set(
      both.flatMap(([name, def]) => (plain(def) === plain(input.get(name)) ? [] : [name])),
    );
    for (let before = -1; before !== apart.size; ) {
      before = apart.size;
      for (const [name, def] of both) if (refersTo(def, apart)) apart.add(name);
    }
    return apart;
  }
}

function refersTo(def: JsonSchema, names: ReadonlySet<string>): boolean {
  const text = JSON.stringify(def);
  return [...names].some((name) => text.includes(JSON.stringify(DEFS + name + MARK)));
}

/** A copy of `schema` with every `$ref` renamed. */
function mapRefs(schema: JsonSchema, rename: (ref: string) => string): JsonSchema {
  return JSON.parse(JSON.stringify(schema), (key, value: unknown) =>
    key === "$ref" && typeof value === "string" ? rename(value) : value,
  );
}
