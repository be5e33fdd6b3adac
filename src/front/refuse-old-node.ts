/** As in package.json. The program looks before it loads anything (`src/cli/main.ts`). */
const REQUIRED = 24;

/** What runs commands needs parts of Node that an older one does not have, and would fail on their names. */
export function refuseOldNode(): void {
  const { node } = process.versions;
  const way = `npm install node-linux-${process.arch}@${REQUIRED}, then start the program with npx node`;
  if (Number.parseInt(node, 10) >= REQUIRED) return;
  throw new Error(
    `Cannot open a sandbox on Node.js ${node}: expected version ${REQUIRED} or newer. Run: ${way}; or install Node.js from nodejs.org`,
  );
}
