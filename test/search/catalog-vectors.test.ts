import { join } from "node:path";
import t from "tap";
import { catalogTexts, MODELS_WITH_VECTORS } from "../../bench/search/catalog-vectors.js";
import { systemClock } from "../../src/kernel/clock.js";
import { PACKAGE_ROOT } from "../../src/kernel/package-info.js";
import { createTransformersEmbedder } from "../../src/search/dense/open-model.js";
import { readKnownVectors } from "../../src/search/model/known-vectors.js";
import { openModelFolder } from "../../src/search/model/model-folder.js";

const HINT = "run npm run model:vectors after a change of the catalog or of a model";
const texts = await catalogTexts();
const EVERY = 300;

for (const name of MODELS_WITH_VECTORS) {
	const model = { folder: join(PACKAGE_ROOT, "models", name), sums: "required" } as const;
	const { path, identity } = await openModelFolder(model);
	const known = await readKnownVectors(path, identity);

	t.test(`the ${name} comes with the vectors of the sample catalog`, async (t) => {
		const unknown = texts.filter(({ text, kind }) => !known.find(text, kind));
		t.same(unknown, [], HINT);
		t.equal(known.size, texts.length, HINT);
	});

	t.test(`they are what the ${name} makes of these texts`, async (t) => {
		const embedder = await createTransformersEmbedder(systemClock, model);
		t.teardown(() => embedder.close());
		// Of every part of the list: concepts, brands, questions.
		const drawn = texts.filter((_, at) => at % EVERY === 0 || at === texts.length - 1);
		for (const { text, kind } of drawn) {
			const stored = known.find(text, kind) ?? new Float32Array();
			const [asked] = await embedder.embed([text], kind);
			t.same(asked, stored, "the embedder finds it");
			// A space more makes a text that is not known, and the same tokens.
			const [made = new Float32Array()] = await embedder.embed([`${text} `], kind);
			const cosine = made.reduce((sum, value, at) => sum + value * (stored[at] ?? 0), 0);
			t.ok(cosine > 0.99, `${cosine}`);
		}
	});
}
