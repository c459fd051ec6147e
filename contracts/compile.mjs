// Compiles the contracts of the demo chain into the JSON files beside them: `node contracts/compile.mjs`.
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const folder = dirname(fileURLToPath(import.meta.url));

export const CONTRACTS = ["TestUSDC", "Multicall"];

/** The text of `<name>.json`; the same for the same source and compiler. */
export async function compile(name) {
	const { default: solc } = await import("solc");
	const file = `${name}.sol`;
	const source = readFileSync(join(folder, file), "utf8");
	const input = {
		language: "Solidity",
		sources: { [file]: { content: source } },
		settings: {
			evmVersion: "cancun",
			optimizer: { enabled: true, runs: 200 },
			metadata: { bytecodeHash: "none", appendCBOR: false },
			outputSelection: {
				"*": {
					"*": [
						"abi",
						"evm.bytecode.object",
						"evm.deployedBytecode.object",
						"evm.methodIdentifiers",
					],
				},
			},
		},
	};
	const output = JSON.parse(solc.compile(JSON.stringify(input)));
	const complaints = (output.errors ?? []).map((error) => error.formattedMessage);
	if (complaints.length > 0) throw new Error(complaints.join("\n"));
	const { abi, evm } = output.contracts[file][name];
	const artifact = {
		contract: name,
		compiler: solc.version(),
		source_sha256: createHash("sha256").update(source).digest("hex"),
		abi,
		selectors: evm.methodIdentifiers,
		bytecode: `0x${evm.bytecode.object}`,
		deployed_bytecode: `0x${evm.deployedBytecode.object}`,
	};
	return `${JSON.stringify(artifact, null, "\t")}\n`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
	for (const name of CONTRACTS) writeFileSync(join(folder, `${name}.json`), await compile(name));
}
