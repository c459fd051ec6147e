import { cp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import t, { type Test } from "tap";
import { systemClock } from "../../src/kernel/clock.js";
import { PACKAGE_ROOT } from "../../src/kernel/package-info.js";
import { createTransformersEmbedder } from "../../src/search/dense/open-model.js";
import type { Embedder } from "../../src/search/model/embedder.js";

const MODEL_FOLDER = join(PACKAGE_ROOT, "models/table");

/** A question, a text that answers it, a text that does not. */
const TRIPLES = [
	[
		"how to reset a password",
		"Recover access to your account with a new password.",
		"The treaty was signed by both states.",
	],
	[
		"symptoms of diabetes",
		"High blood sugar causes thirst and frequent urination.",
		"The parser reads tokens from the input stream.",
	],
	[
		"install a package with the command line",
		"Run the installer command to add the package.",
		"Oxygen is carried by red blood cells.",
	],
	[
		"who pays transaction fees",
		"Gas for the transaction is charged to the sender.",
		"The library opens a window on the screen.",
	],
	[
		"encrypt data on disk",
		"Storage encryption protects files at rest with a key.",
		"Interest rates rose during the quarter.",
	],
	[
		"schedule a pod on a node",
		"The Kubernetes scheduler assigns pods to nodes.",
		"A lawful arrest requires a warrant.",
	],
	[
		"inflation and consumer prices",
		"The price index measures how prices of goods rise.",
		"Compile the kernel module with these flags.",
	],
	[
		"machine learning model training",
		"The neural network is trained on labelled examples.",
		"Landlords must return the deposit in 30 days.",
	],
	[
		"tax on income of companies",
		"Corporations pay tax on their profits.",
		"The protein binds to the cell membrane.",
	],
	[
		"remove a file from version control",
		"Delete the file and commit the change to the Git repository.",
		"Exports of copper declined.",
	],
	[
		"security vulnerability in a web server",
		"An attacker can exploit the flaw in the HTTP server remotely.",
		"The noun is declined in the plural.",
	],
	[
		"treatment of high blood pressure",
		"Hypertension is treated with medicine and diet.",
		"The socket is closed after the timeout.",
	],
] as const;

const start = async (t: Test): Promise<Embedder> => {
	const embedder = await createTransformersEmbedder(systemClock, {
		folder: MODEL_FOLDER,
		sums: "required",
	});
	t.teardown(() => embedder.close());
	return embedder;
};

t.test("the bundled model puts an answer nearer to its question than another text", async (t) => {
	const embedder = await start(t);
	const vectors = await embedder.embed(TRIPLES.flat(), "passage");
	TRIPLES.forEach(([question], index) => {
		const [asked, near, far] = vectors.slice(index * 3, index * 3 + 3);
		t.ok(dot(asked, near) > dot(asked, far) + 0.05, question);
	});
});

t.test("vectors have unit length and do not depend on the texts beside them", async (t) => {
	const embedder = await start(t);
	const [alone] = await embedder.embed(["short text"], "query");
	const long = "many words in a row ".repeat(200);
	const [together, other] = await embedder.embed(["short text", long], "passage");
	t.equal(alone?.length, embedder.identity.dimensions);
	t.ok(Math.abs(dot(alone, alone) - 1) < 1e-5);
	t.ok(Math.abs(dot(other, other) - 1) < 1e-5);
	t.ok(dot(alone, together) > 0.9999);
});

t.test(
	"few texts are run at once: the runtime keeps the memory of its largest batch",
	async (t) => {
		const embedder = await start(t);
		const sent = t.capture(Worker.prototype, "postMessage", Worker.prototype.postMessage);
		const long = "one sentence of a longer passage. ".repeat(20);
		await embedder.embed(
			[...Array<string>(40).fill("short text"), long, long, long, long],
			"passage",
		);
		const batches = sent().map(({ args: [task] }) => (task as { readonly texts: string[] }).texts);
		t.equal(batches.flat().length, 44);
		for (const texts of batches) t.ok(texts.length <= 8 && texts.join("").length <= 2_000);
	},
);

async function copyModel(t: Test): Promise<string> {
	const folder = join(t.testdir(), "model");
	await cp(MODEL_FOLDER, folder, { recursive: true });
	return folder;
}

const open = (folder: string, sums: "required" | "if-there") =>
	createTransformersEmbedder(systemClock, { folder, sums });

t.test("a model file that was changed is refused", async (t) => {
	const folder = await copyModel(t);
	await writeFile(join(folder, "tokenizer.json"), "{}");
	for (const sums of ["required", "if-there"] as const) {
		await t.rejects(open(folder, sums), {
			code: "UNAVAILABLE",
			message: /tokenizer.json differs/,
		});
	}
});

t.test("a model whose checksums are required is refused without them", async (t) => {
	const folder = await copyModel(t);
	await writeFile(join(folder, "SHA256SUMS"), "");
	await t.rejects(open(folder, "required"), { message: /does not name onnx/ });
	await rm(join(folder, "SHA256SUMS"));
	await t.rejects(open(folder, "required"), { message: /SHA256SUMS cannot be read/ });
	const embedder = await open(folder, "if-there");
	t.equal(embedder.identity.id, "model");
	await embedder.close();
});

t.test("a folder without a model is refused with its name", async (t) => {
	await t.rejects(open(t.testdir(), "if-there"), {
		code: "UNAVAILABLE",
		message: /model_quantized.onnx cannot be read/,
	});
});

function dot(one: Float32Array | undefined, other: Float32Array | undefined): number {
	return (one ?? new Float32Array()).reduce(
		(sum, value, at) => sum + value * (other?.[at] ?? 0),
		0,
	);
}
