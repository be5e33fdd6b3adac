/**
 * What a cell may say and a script may not: imports, and a second declaration of a name.
 *
 * Tokens are told apart just as far as it takes not to touch strings, comments,
 * templates and regular expressions.
 */
const TOKEN =
  /\/\/[^\n]*|\/\*[\s\S]*?\*\/|"(?:\\[\s\S]|[^"\\\n])*"|'(?:\\[\s\S]|[^'\\\n])*'|`|(?<=(?:^|[(,=:[!&|?{};+~\n]|\breturn)\s*)\/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/\w*|[\w$.]*\b(?:import|const)\b|[()[\]{}]/g;
/** A template from where its text begins to where it, or a value in it, does. */
const TEMPLATE = /(?:\\[\s\S]|\$(?!\{)|[^`\\$])*(?:`|\$\{)/y;
const DEPTH = { "(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1 };
const STATEMENT =
  /import(?:\s*([\w$\s,*{}]+?)\s*\bfrom\b)?\s*(["'][^"'\n]+["'])(?:\s*with\s*(\{[^}]*\}))?/y;
const TYPES_ONLY = /^type(?:\s+[\w$]|\s*[*{])/;
const CALL = /import\s*\(/y;
const META = /import\.meta\b/y;

/** A cell whose imports are calls of the session's own, and whose constants may be declared again. */
export function rewriteCell(source) {
  let result = "";
  let from = 0;
  const place = new Place();
  TOKEN.lastIndex = 0;
  for (let token = TOKEN.exec(source); token; token = TOKEN.exec(source)) {
    TOKEN.lastIndex = place.pass(token[0], TOKEN.lastIndex, source);
    const found = replacementOf(token[0], { source, index: token.index, depth: place.depth });
    if (!found) continue;
    result += source.slice(from, token.index) + found.text;
    from = token.index + found.length;
    TOKEN.lastIndex = from;
  }
  return result + source.slice(from);
}

/** How deep in brackets, and in the values of templates, a token is. */
class Place {
  depth = 0;
  #values = [];

  /** Takes a token in, and tells where the next may be: behind the text of a template, which has none. */
  pass(word, end, source) {
    const isValueOver = word === "}" && this.depth === this.#values.at(-1);
    this.depth += DEPTH[word] ?? 0;
    if (isValueOver) this.#values.pop();
    else if (word !== "`") return end;
    TEMPLATE.lastIndex = end;
    const after = TEMPLATE.test(source) ? TEMPLATE.lastIndex : source.length;
    if (source[after - 1] === "{") this.#values.push(++this.depth);
    return after;
  }
}

function replacementOf(word, { source, index, depth }) {
  if (word === "import") return importAt(source, index);
  // The debugger lets a name be declared again, but only in the same way.
  if (word === "const" && depth === 0) return { text: "let  ", length: word.length };
  return undefined;
}

function importAt(source, index) {
  const [call, meta, statement] = [CALL, META, STATEMENT].map((pattern) => {
    pattern.lastIndex = index;
    return pattern.exec(source);
  });
  if (call) return { text: 'globalThis["writ:import"](', length: call[0].length };
  if (meta) return { text: 'globalThis["writ:meta"]', length: meta[0].length };
  if (statement) return { text: statementFor(statement), length: statement[0].length };
  return undefined;
}

function statementFor([whole, names, specifier, attributes]) {
  // Lines stay where they are, and errors with them.
  const lines = "\n".repeat(whole.split("\n").length - 1);
  if (names !== undefined && TYPES_ONLY.test(names)) return `;${lines}`;
  const options = attributes ? `, { with: ${attributes} }` : "";
  const value = `await globalThis["writ:import"](${specifier}${options})`;
  return `${names === undefined ? value : declarationOf(names, value)};${lines}`;
}

function declarationOf(names, value) {
  const space = /\*\s*as\s+([\w$]+)/.exec(names)?.[1];
  const listed = /\{([\s\S]*)\}/.exec(names)?.[1]?.split(",") ?? [];
  const standard = /^\s*([\w$]+)/.exec(names)?.[1];
  const members = listed
    .map((one) => one.trim())
    .filter((one) => one !== "" && !one.startsWith("type "))
    .map((one) => one.replace(/\s+as\s+/, ": "));
  if (standard) members.unshift(`default: ${standard}`);
  if (!space) return `let { ${members.join(", ")} } = ${value}`;
  const rest = members.length > 0 ? `, { ${members.join(", ")} } = ${space}` : "";
  return `let ${space} = ${value}${rest}`;
}
