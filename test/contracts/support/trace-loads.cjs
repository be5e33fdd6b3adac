/** Loaded before a program: notes every file that it loads, by address. */
const fs = require("node:fs");
const { registerHooks } = require("node:module");

registerHooks({
  resolve(specifier, context, next) {
    const found = next(specifier, context);
    fs.appendFileSync(process.env.LOADS_FILE, `${found.url}\n`);
    return found;
  },
});
