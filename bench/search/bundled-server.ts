/** The command line as it is shipped, in one file. */
const bundle = new URL("../../bundle/main.js", import.meta.url).href;
const { main } = (await import(bundle)) as typeof import("../../src/cli/main.js");
await main(process.argv.slice(2));
