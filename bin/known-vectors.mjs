#!/usr/bin/env node
// `npm run model:vectors`: writes the vectors that come with the bundled models, after their weights or the sample catalog have changed.
import { tsImport } from "tsx/esm/api";

const { writeCatalogVectors } = await tsImport(
	"../bench/search/catalog-vectors.ts",
	import.meta.url,
);
process.stdout.write(`${JSON.stringify(await writeCatalogVectors())}\n`);
