/** Code that tries to write a file, by language; a refusal is an error of the code. */
export function writes(language: string, file: string): string {
  const quoted = JSON.stringify(file);
  switch (language) {
    case "python":
      return `open(${quoted}, "w").close()`;
    case "node":
      return `require("fs").writeFileSync(${quoted}, "")`;
    case "r":
      return `cat("x", file = ${quoted})`;
    default:
      return `echo x > ${quoted}`;
  }
}
